export default {
  rules: `
Englische Dame (Checkers), wie sie in amerikanischen und britischen Vereinen gespielt wird.

### Das Brett

Gespielt wird nur auf den dunklen Feldern; sie haben die Nummern 1 bis 32. Rot hat zwölf Steine auf 1 bis 12, unten auf dem Brett, Schwarz
zwölf auf 21 bis 32. **Rot beginnt.**

### Züge

1. Ein Stein zieht ein Feld schräg vorwärts auf ein leeres Feld.
2. Eine Dame zieht ein Feld schräg in jede Richtung. Weiter als ein Feld zieht sie nicht.
3. Ein Stein springt schräg vorwärts über einen gegnerischen Stein neben ihm auf das leere Feld dahinter und schlägt ihn. Eine Dame springt in jede Richtung.
4. **Wer schlagen kann, muss schlagen.** Hast du mehrere Möglichkeiten, wählst du frei.
5. Kann derselbe Stein weiterspringen, muss er es tun: Eine Kette von Sprüngen ist ein Zug und wird zu Ende gespielt.
6. Ein Stein, der die letzte Reihe erreicht, wird Dame. Der Zug endet dort, auch wenn die neue Dame weiterspringen könnte.

![Ein Stein zieht ein Feld vorwärts.](B:W30:B11 | 11-16)
![Ein Stein springt über den Stein vor ihm und schlägt ihn.](B:W18:B15 | 15x22)
![Er kann weiterspringen, also muss er: zwei Steine in einem Zug.](B:W18,26:B15 | 15x22x31)
![Auf der letzten Reihe wird ein Stein zur Dame.](B:W5:B26 | 26-31)
![Eine Dame zieht auch rückwärts.](B:W32:BK18 | 18-14)

### Das Ende

Wer nicht ziehen kann, weil alle Steine geschlagen oder blockiert sind, verliert.

Die Partie ist remis, wenn dieselbe Stellung mit derselben Seite am Zug zum dritten Mal entsteht, wenn beide Seiten je 40 Züge lang weder geschlagen
noch einen Stein gezogen haben, oder wenn sich beide einigen. Wer aufgibt oder die Zeit überschreitet, verliert.`,
  strategy: `
### Bei jedem Zug, in dieser Reihenfolge

1. **Schlagen ist Pflicht, für beide.** Prüfe, was dein Gegner nach deinem Zug schlagen muss und was du danach schlagen kannst. Die meisten Partien entscheidet eine *Kombination*: einen Stein opfern, um zwei zu schlagen.
2. **Zähle.** Eine Dame ist etwa anderthalb Steine wert. Mit einem Stein mehr gewinnst du die meisten Endspiele: Tausche ab, wenn du vorn liegst, aber nie, wenn du zurückliegst.
3. **Hol dir Damen** und lass deinen Gegner keine bekommen. Lass zwei Steine so lange wie möglich auf der Grundreihe stehen: bei Rot 1 und 3, bei Schwarz 30 und 32.
4. **Beherrsche das Zentrum.** Steine auf 14, 15, 18, 19 und daneben bestimmen das Spiel; am Rand hat ein Stein nur halb so viele Züge. Wenn du wählen kannst, schlage zur Mitte.
5. **Halte deine Steine zusammen.** Ein Stein mit einem anderen dahinter kann nicht geschlagen werden. Einzelne Steine weit vorn gehen verloren.
6. **Lass dir die Züge nicht ausgehen.** Im Endspiel entscheidet der letzte Wartezug; ein Abtausch ändert meist, wer ihn hat.

### Eröffnungen

Gute erste Züge von Rot: 11-15 (am aktivsten), 9-14, 11-16, 10-14, 12-16, 9-13 (ruhig). Am schwächsten ist 10-15.

Gute Antworten auf 11-15: 23-19, 22-18 (bietet einen Abtausch im Zentrum an), 24-19, 22-17. Auf 9-14: 22-18. Auf 9-13: 22-18, 24-20.

### Endspiele, die man kennen sollte

- **Zwei Damen gegen eine** gewinnen, außer wenn diese in einer Doppelecke sitzt (1 und 5 oder 28 und 32): Biete dort einen Abtausch an, den sie nicht ablehnen kann.
- **Drei Damen gegen zwei** gewinnen: Erzwinge einen Abtausch.
- **Eine Dame vor einem Stein** hält ihn auf.
- Vierzig Züge ohne Schlagen und ohne Steinzug sind remis: Zieh einen Stein vor, und sei es nur, um Zeit zu gewinnen.`,
};
