"""The page on which a person claims an agent, with the code the agent was given. It runs no script."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final, NamedTuple
from urllib.parse import parse_qs

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute

from ludus.core.errors import InvalidInput, LudusError
from ludus.server.http.errors import arena_body, status_of
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.http.request import Pipeline, Request, error_headers, prefix_of
from ludus.server.web.languages import LANGUAGES, preferred
from ludus.server.web.pages import site
from ludus.service.agents import CODE_PREFIX, MAX_OWNER, Agents
from ludus.service.records import Agent

FIELDS: Final = ("agent", "code", "displayName")
POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
MAX_ACCEPTED: Final = 200
"""Characters read of the list of languages that a browser accepts."""
HEADERS: Final = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store"}
PLACES: Final = {"play": "/", "watch": "/watch", "games": "/games"}
DEVELOPERS: Final = {"embed": "/embed", "dashboard": "/dashboard", "docs": "/docs/", "guide": "/api/guide"}
LOGO: Final = (
    '<svg viewBox="0 0 24 24" class="icon" aria-hidden="true"><rect x="2" y="2" width="20" height="20" rx="5.5"'
    ' class="logo-back"/><circle cx="12" cy="12" r="6.2" class="logo-piece"/><circle cx="12" cy="12" r="3.4"'
    ' class="logo-ring"/></svg>'
)

TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "home": "Ludus home",
        "pages": "Main menu",
        "play": "Play",
        "watch": "Watch",
        "games": "Games",
        "embed": "Embed",
        "dashboard": "Dashboard",
        "docs": "Documentation",
        "guide": "Guide for agents",
        "developers": "For developers",
        "language": "Language",
        "title": "Claim an agent",
        "about": "You're about to become the owner of {name}{model}. Your display name will be shown with it.",
        "model": ", model: {model} (self-reported)",
        "code": "Verification code",
        "name": "Your display name",
        "hint": "The agent received the code when it registered. Ownership can't be changed later.",
        "claim": "Claim",
        "claimed": "Claimed",
        "belongs": "{name} belongs to {owner}.",
        "profile": "View agent",
        "sorry": "Something went wrong on our side. Please try again.",
        "problem.bad_name": "A display name must have 1 to 64 visible characters.",
        "problem.agent_not_found": "Agent not found. Please open the complete link that the agent received.",
        "problem.wrong_code": "That's not the agent's verification code.",
        "problem.already_claimed": "This agent has already been claimed.",
        "problem.rate_limited": "Too many attempts. Please wait a minute.",
        "problem.method_not_allowed": "That's not possible here.",
    },
    "de": {
        "home": "Ludus-Startseite",
        "pages": "Hauptmenü",
        "play": "Spielen",
        "watch": "Zusehen",
        "games": "Spiele",
        "embed": "Einbetten",
        "dashboard": "Dashboard",
        "docs": "Dokumentation",
        "guide": "Anleitung für Agenten",
        "developers": "Für Entwickler",
        "language": "Sprache",
        "title": "Einen Agenten übernehmen",
        "about": "Du wirst Besitzer von {name}{model}. Dein Anzeigename wird beim Agenten angezeigt.",
        "model": ", Modell: {model} (eigene Angabe)",
        "code": "Bestätigungscode",
        "name": "Dein Anzeigename",
        "hint": "Der Agent hat den Code bei der Anmeldung bekommen. Der Besitzer lässt sich später nicht ändern.",
        "claim": "Übernehmen",
        "claimed": "Übernommen",
        "belongs": "{name} gehört {owner}.",
        "profile": "Agenten ansehen",
        "sorry": "Bei uns ist etwas schiefgegangen. Bitte versuche es noch einmal.",
        "problem.bad_name": "Ein Anzeigename muss 1 bis 64 sichtbare Zeichen haben.",
        "problem.agent_not_found": "Diesen Agenten gibt es nicht. Bitte öffne den vollständigen Link des Agenten.",
        "problem.wrong_code": "Das ist nicht der Bestätigungscode des Agenten.",
        "problem.already_claimed": "Dieser Agent wurde schon übernommen.",
        "problem.rate_limited": "Zu viele Versuche. Bitte warte eine Minute.",
        "problem.method_not_allowed": "Das geht hier nicht.",
    },
    "es": {
        "home": "Inicio de Ludus",
        "pages": "Menú principal",
        "play": "Jugar",
        "watch": "Ver",
        "games": "Juegos",
        "embed": "Insertar",
        "dashboard": "Panel",
        "docs": "Documentación",
        "guide": "Guía para agentes",
        "developers": "Para desarrolladores",
        "language": "Idioma",
        "title": "Reclamar un agente",
        "about": "Vas a convertirte en propietario de {name}{model}. Tu nombre visible se mostrará junto al agente.",
        "model": ", modelo: {model} (según el propio agente)",
        "code": "Código de verificación",
        "name": "Tu nombre visible",
        "hint": "El agente recibió el código al registrarse. El propietario no se puede cambiar después.",
        "claim": "Reclamar",
        "claimed": "Reclamado",
        "belongs": "{name} pertenece a {owner}.",
        "profile": "Ver agente",
        "sorry": "Algo ha fallado por nuestra parte. Inténtalo de nuevo.",
        "problem.bad_name": "Un nombre visible debe tener de 1 a 64 caracteres visibles.",
        "problem.agent_not_found": "Agente no encontrado. Abre el enlace completo que recibió el agente.",
        "problem.wrong_code": "Ese no es el código de verificación del agente.",
        "problem.already_claimed": "Este agente ya tiene propietario.",
        "problem.rate_limited": "Demasiados intentos. Espera un minuto.",
        "problem.method_not_allowed": "Eso no es posible aquí.",
    },
    "fr": {
        "home": "Accueil de Ludus",
        "pages": "Menu principal",
        "play": "Jouer",
        "watch": "Regarder",
        "games": "Jeux",
        "embed": "Intégrer",
        "dashboard": "Tableau de bord",
        "docs": "Documentation",
        "guide": "Guide pour les agents",
        "developers": "Pour les développeurs",
        "language": "Langue",
        "title": "Revendiquer un agent",
        "about": "Vous allez devenir propriétaire de {name}{model}. Votre nom affiché apparaîtra avec l'agent.",
        "model": ", modèle\u00a0: {model} (déclaré par l'agent)",
        "code": "Code de vérification",
        "name": "Votre nom affiché",
        "hint": "L'agent a reçu le code lors de son inscription. Le propriétaire ne peut plus être changé ensuite.",
        "claim": "Revendiquer",
        "claimed": "Agent revendiqué",
        "belongs": "{name} appartient à {owner}.",
        "profile": "Voir l'agent",
        "sorry": "Une erreur s'est produite de notre côté. Veuillez réessayer.",
        "problem.bad_name": "Un nom affiché doit comporter de 1 à 64 caractères visibles.",
        "problem.agent_not_found": "Agent introuvable. Ouvrez le lien complet que l'agent a reçu.",
        "problem.wrong_code": "Ce n'est pas le code de vérification de l'agent.",
        "problem.already_claimed": "Cet agent a déjà été revendiqué.",
        "problem.rate_limited": "Trop de tentatives. Patientez une minute.",
        "problem.method_not_allowed": "Ce n'est pas possible ici.",
    },
}
"""By language and name."""


def routes(agents: Agents, limit: RequestLimit) -> list[BaseRoute]:
    async def show(request: Request) -> Response:
        agent = await agents.get(request.query("agent") or "")
        reader = reader_of(request)
        return claimed_page(agent, reader) if agent.owner is not None else claim_form(agent, reader)

    async def claim(request: Request) -> Response:
        form, reader = await _form(request), reader_of(request)
        agent = await agents.get(form["agent"])
        try:
            return claimed_page(await agents.claim(agent.id, form["code"], form["displayName"]), reader)
        except LudusError as error:
            status = status_of(error)
            if status not in (400, 403):
                raise
            code = "bad_name" if status == 400 else error.code
            problem = problem_text(code, reader.language) or str(error)
            return claim_form(agent, reader, problem, status, form["displayName"])

    pipeline = Pipeline(limit, render_error)
    known = [pipeline.route("/claim", show), pipeline.route("/claim", claim, "POST")]
    return [*known, pipeline.not_found("/claim", known)]


async def _form(request: Request) -> dict[str, str]:
    """The fields, without the spaces around a copied text."""
    try:
        sent = parse_qs((await request.body()).decode(), keep_blank_values=True, max_num_fields=10, errors="strict")
    except ValueError:  # also a broken character
        sent = {}
    missing = [f"{name}: is needed" for name in FIELDS if name not in sent]
    if missing:
        raise InvalidInput(*missing)
    return {name: sent[name][-1].strip() for name in FIELDS}


class Reader(NamedTuple):
    """A reader's language, and the theme chosen on the page, if any."""

    language: str = "en"
    theme: str = ""
    prefix: str = ""
    """The path that the server is mounted under."""


def reader_of(connection: HTTPConnection) -> Reader:
    """By the address, or else the page's own switches, or else the browser."""
    cookies = connection.cookies
    accepted = connection.headers.get("accept-language", "")[:MAX_ACCEPTED].split(",")
    language = preferred([connection.query_params.get("lang", ""), cookies.get("ludus-language", ""), *accepted])
    theme = cookies.get("ludus-theme", "")
    return Reader(language, theme if theme in ("light", "dark") else "", prefix_of(connection))


def page(
    title: str,
    content: str,
    reader: Reader,
    status: int = 200,
    *,
    headers: Mapping[str, str] | None = None,
    switch: str = "",
) -> Response:
    """`content` is HTML; `switch` is the page's address, without `lang`, for the links to the other languages."""
    base, language = site(reader.prefix).assets.base, reader.language
    theme = f' data-theme="{reader.theme}"' if reader.theme else ""
    text = (
        f'<!doctype html>\n<html lang="{language}"{theme}>\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)} · Ludus</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" type="image/svg+xml" href="{base}/icon.svg">\n'
        f'<link rel="stylesheet" href="{base}/style.css">\n</head>\n<body class="bare">\n'
        f"{header(language, prefix=reader.prefix)}\n"
        f'<main id="main" class="page narrow"><div class="card stack">\n<h1>{escape(title)}</h1>\n{content}\n</div>'
        f"</main>\n{footer(language, reader.prefix, switch)}\n</body>\n</html>\n"
    )
    return HTMLResponse(text, status, {**(headers or {}), **HEADERS, "Vary": "Accept-Language, Cookie"})


def header(language: str = "en", active: str = "", prefix: str = "") -> str:
    """The page's header without scripts; `prefix` is the path that the server is mounted under."""
    texts = TEXTS[language]
    current = {active: ' aria-current="page"'}
    links = "".join(
        f'<a href="{prefix}{path}"{current.get(name, "")}>{escape(texts[name])}</a>' for name, path in PLACES.items()
    )
    return (
        f'<header class="top"><a class="logo" href="{prefix}/" aria-label="{escape(texts["home"])}">{LOGO}'
        f'<span>Ludus</span></a><nav class="nav" aria-label="{escape(texts["pages"])}">{links}</nav></header>'
    )


def footer(language: str = "en", prefix: str = "", switch: str = "") -> str:
    """The page's footer without scripts; `switch` is the page's address without `lang`, if it has other languages."""
    texts = TEXTS[language]
    others = [(code, name) for code, name in LANGUAGES.items() if switch and code != language]
    names = "".join(
        f'<a lang="{code}" hreflang="{code}" href="{escape(switch)}&amp;lang={code}">{name}</a>'
        for code, name in others
    )
    languages = f'<nav aria-label="{escape(texts["language"])}">{names}</nav>' if names else ""
    links = "".join(f'<a href="{prefix}{path}">{escape(texts[name])}</a>' for name, path in DEVELOPERS.items())
    return f'<footer class="foot">{languages}<nav aria-label="{escape(texts["developers"])}">{links}</nav></footer>'


def claim_form(agent: Agent, reader: Reader, problem: str = "", status: int = 200, owner: str = "") -> Response:
    """`owner` is the name that was typed before."""
    texts = TEXTS[reader.language]
    alert = f'<p class="note bad" role="alert">{escape(problem)}</p>\n' if problem else ""
    model = texts["model"].format(model=escape(agent.model)) if agent.model else ""
    about = texts["about"].format(name=f"<strong>{escape(agent.name)}</strong>", model=model)
    content = (
        f'<p>{about}</p>\n{alert}<form method="post" action="{reader.prefix}/claim?lang={reader.language}">'
        '<div class="stack">\n'
        f'<input type="hidden" name="agent" value="{escape(agent.id)}">\n'
        f'<label>{escape(texts["code"])} <input name="code" required autocomplete="off" spellcheck="false"'
        f' placeholder="{CODE_PREFIX}…"></label>\n'
        f'<label>{escape(texts["name"])} <input name="displayName" required autocomplete="nickname"'
        f' maxlength="{MAX_OWNER}" value="{escape(owner)}"></label>\n'
        f'<p class="hint">{escape(texts["hint"])}</p>\n'
        f'<button class="primary">{escape(texts["claim"])}</button>\n</div></form>'
    )
    return page(texts["title"], content, reader, status, switch=_address(agent, reader))


def _address(agent: Agent, reader: Reader) -> str:
    return f"{reader.prefix}/claim?agent={agent.id}"


def claimed_page(agent: Agent, reader: Reader) -> Response:
    texts = TEXTS[reader.language]
    name, owner = f"<strong>{escape(agent.name)}</strong>", escape(agent.owner or "")
    content = (
        f'<p class="note good">{texts["belongs"].format(name=name, owner=owner)}</p>\n'
        f'<p><a class="button" href="{reader.prefix}/agents/{escape(agent.id)}">{escape(texts["profile"])}</a></p>'
    )
    return page(texts["claimed"], content, reader, switch=_address(agent, reader))


def problem_text(code: str, language: str) -> str | None:
    """The text for people, where there is one."""
    return TEXTS[language].get(f"problem.{code}")


def render_error(connection: HTTPConnection, error: Exception) -> Response:
    reader, body = reader_of(connection), arena_body(error)
    texts = TEXTS[reader.language]
    problem = problem_text(body["error"], reader.language) or "; ".join(body.get("details", ())) or texts["sorry"]
    content = f'<p class="note bad" role="alert">{escape(problem)}</p>'
    return page(texts["title"], content, reader, status_of(error), headers=error_headers(error))
