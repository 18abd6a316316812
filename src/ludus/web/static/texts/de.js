// Die Regeln, und wie man gut spielt.

const checkers = {
  rules: `
Englische Dame (Checkers), wie sie in amerikanischen und britischen Vereinen gespielt wird.

### Das Brett

Gespielt wird nur auf den dunklen Feldern; sie haben die Nummern 1 bis 32. Rot hat zwölf Steine auf 1 bis 12, unten auf dem Brett, Schwarz
zwölf auf 21 bis 32. **Rot beginnt.**

### Züge

1. Ein Stein zieht ein Feld schräg vorwärts auf ein leeres Feld.
2. Eine Dame zieht ein Feld schräg in jede Richtung. Sie läuft nicht weiter als ein Feld.
3. Ein Stein springt schräg vorwärts über einen gegnerischen Stein neben ihm auf das leere Feld dahinter und schlägt ihn. Eine Dame springt in jede Richtung.
4. **Wer schlagen kann, muss schlagen.** Unter mehreren Möglichkeiten wählst du frei.
5. Kann derselbe Stein weiterspringen, so muss er: eine Kette von Sprüngen ist ein Zug und wird zu Ende gespielt.
6. Ein Stein, der die letzte Reihe erreicht, wird Dame. Der Zug endet dort, auch wenn die neue Dame weiterspringen könnte.

### Das Ende

Wer nicht ziehen kann, weil kein Stein mehr da ist oder alle blockiert sind, hat verloren.

Remis ist es, wenn dieselbe Stellung mit derselben Seite am Zug zum dritten Mal entsteht, wenn beide Seiten je 40 Züge lang weder geschlagen
noch einen Stein gezogen haben, oder wenn beide einig sind. Wer aufgibt oder wem die Zeit abläuft, verliert.`,
  strategy: `
### Bei jedem Zug, in dieser Reihenfolge

1. **Schlagen ist Pflicht, für beide.** Sieh nach, was der Gegner nach deinem Zug schlagen muss, und was du danach schlagen kannst. Die meisten Partien entscheidet ein *Schlag*: einen Stein geben, um zwei zu nehmen.
2. **Zähle.** Eine Dame ist etwa anderthalb Steine wert. Ein Stein mehr gewinnt die meisten Endspiele: wer vorn liegt, tauscht ab, wer hinten liegt, niemals.
3. **Hole dir Damen** und lass den Gegner keine holen. Zwei Steine der Grundreihe bleiben möglichst lange zu Hause: bei Rot 1 und 3, bei Schwarz 30 und 32.
4. **Das Zentrum.** Steine auf 14, 15, 18, 19 und daneben beherrschen das Spiel; am Rand hat ein Stein nur halb so viele Züge. Wenn du wählen kannst, schlage zur Mitte.
5. **Bleib zusammen.** Ein Stein mit einem anderen dahinter kann nicht geschlagen werden. Einzelne Steine weit vorn gehen verloren.
6. **Behalte Züge übrig.** Spät in der Partie entscheidet der letzte Wartezug; ein Abtausch ändert meist, wer ihn hat.

### Eröffnungen

Gute erste Züge von Rot: 11-15 (am aktivsten), 9-14, 11-16, 10-14, 12-16, 9-13 (ruhig). Am schwächsten ist 10-15.

Gute Antworten auf 11-15: 23-19, 22-18 (bietet einen Abtausch im Zentrum an), 24-19, 22-17. Auf 9-14: 22-18. Auf 9-13: 22-18, 24-20.

### Endspiele, die man kennen sollte

- **Zwei Damen gegen eine** gewinnen, außer wenn diese in einer Doppelecke sitzt (1 und 5, oder 28 und 32): dort einen Abtausch anbieten, den sie nicht ablehnen kann.
- **Drei Damen gegen zwei** gewinnen: einen Abtausch erzwingen.
- **Eine Dame vor einem Stein** hält ihn auf.
- Vierzig Züge ohne Schlagen und ohne Steinzug sind remis: zieh einen Stein vor, und sei es nur, um Zeit zu gewinnen.`,
};

const backgammon = {
  rules: `
Zwei Spieler, Weiß und Schwarz, laufen mit je fünfzehn Steinen um 24 Felder und vom Brett. Die Nummern am Rand zählen für den, der unten
sitzt: deine Steine laufen von 24 hinunter zu 1.

### Aufstellung

| Steine | auf deinem Feld |
|---|---|
| zwei | 24 |
| fünf | 13 |
| drei | 8 |
| fünf | 6 |

Die Felder 1 bis 6 sind dein Heimfeld. Die andere Seite steht ebenso, von ihrem Ende aus gezählt.

### Der Anfang

Jede Seite wirft einen Würfel, bei Gleichstand noch einmal. Wer höher wirft, beginnt und spielt beide Würfel. Alle Würfel wirft der Server,
der sich vor dem ersten Wurf auf sie festlegt; nach der Partie kann sie jeder nachprüfen.

### Ein Zug

1. Jeder Würfel bewegt einen Stein um so viele Felder; ein Stein darf auch beide nehmen und dazwischen aufsetzen. Ein Pasch wird viermal gespielt.
2. Ein Stein darf auf ein Feld, das leer ist, auf dem eigene Steine stehen oder ein einzelner gegnerischer, ein *Blot*. Zwei oder mehr sperren ein Feld.
3. Wer auf einen Blot zieht, schlägt ihn: er kommt auf die Bar.
4. Steine auf der Bar gehen vor. Sie kommen auf den Feldern 24 bis 19 herein, wie der Würfel von außen zählt.
5. Wenn es geht, müssen beide Würfel gespielt werden, in beliebiger Reihenfolge. Geht nur einer von beiden, dann der höhere.
6. Geht nichts, so verfällt der Zug von selbst.

### Abtragen

Stehen alle deine Steine im Heimfeld, so darf ein Würfel einen Stein von dem Feld abtragen, das er zählt. Steht dort keiner und auch weiter
hinten keiner, so trägt er vom höchsten besetzten Feld ab. Wird unterdessen ein Stein geschlagen, muss er zuerst wieder nach Hause.

### Gewinnen

Wer alle fünfzehn Steine abgetragen hat, gewinnt.

| | | Punkte |
|---|---|---|
| einfach | der Verlierer hat mindestens einen Stein abgetragen | 1 |
| Gammon | der Verlierer hat keinen abgetragen | 2 |
| Backgammon | keinen, und hat einen Stein auf der Bar oder im Heimfeld des Siegers | 3 |

Remis gibt es nicht, und keinen Dopplerwürfel. Wer aufgibt oder wem die Zeit abläuft, verliert einfach.`,
  strategy: `
### Bei jedem Zug, in dieser Reihenfolge

1. **Vergleiche das Rennen.** Die Pips neben den Namen sagen, wie weit es für beide noch ist. Ein Zehntel oder mehr voraus: laufen, die hinteren Steine herausholen, nicht schlagen lassen. Zurück: Felder halten und auf einen Treffer warten.
2. **Kannst du schlagen?** Ein geschlagener Stein verliert seinen ganzen Weg. Im eigenen Heimfeld schlage ungedeckt nur, wenn ein Gegenschlag wenig kostet.
3. **Kannst du ein gutes Feld besetzen?** Der Reihe nach: dein Feld 5, 4, 7, 3; auch das des Gegners (20 oder 21, ein *Anker*). Sechs Felder in Folge, eine *Prime*, kann niemand überspringen.
4. **Zähle die Treffer auf deine Blots.** Muss einer stehen bleiben, dann weit hinten und mehr als sechs Felder vom Gegner entfernt: das ist dreimal so sicher.
5. **Vergrabe keine Steine** früh auf deinen Feldern 1 und 2, und stapele nicht mehr als vier auf einem Feld.

### Treffer

Von 36 Würfen treffen einen Blot, wenn nichts dazwischen steht:

| Abstand | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
| Würfe | 11 | 12 | 14 | 15 | 15 | 17 | 6 | 6 | 5 | 3 | 2 | 3 |

### Eröffnungen, die als die besten gelten

| Wurf | Zug | Wurf | Zug |
|---|---|---|---|
| 31 | 8/5 6/5 | 21 | 13/11 6/5 oder 24/23 13/11 |
| 42 | 8/4 6/4 | 41 | 24/23 13/9 |
| 53 | 8/3 6/3 | 51 | 24/23 13/8 |
| 61 | 13/7 8/7 | 32 | 24/21 13/11 |
| 65 | 24/13 | 43 | 24/20 13/10 oder 13/10 13/9 |
| 64 | 24/14, 8/2 6/2 oder 24/18 13/9 | 52 | 13/8 13/11 oder 24/22 13/8 |
| 63 | 24/18 13/10 | 54 | 13/8 24/20 oder 13/8 13/9 |
| 62 | 24/18 13/11 | | |

### Pläne

- **Laufspiel:** vorn und aneinander vorbei. Keine Pips verschenken, und abtragen, sooft der Würfel es erlaubt.
- **Haltespiel:** ein Anker auf 20 oder 18, und Geduld.
- **Sperrspiel:** vier bis sechs Felder in Folge vor den hinteren Steinen des Gegners. Die Lücke schließen, dann schlagen.
- **Blitz:** der Gegner hat zwei oder mehr Steine hinten, und zehn von deinen sind nahe: jeden Blot in deinem Heimfeld angreifen.

### Abtragen, solange der Gegner noch treffen kann

Räume von hinten, das Feld 6 zuerst. Auf den beiden höchsten Feldern bleibe eine gerade Zahl von Steinen. Sicherheit geht vor Eile.`,
};

export default { checkers, backgammon };
