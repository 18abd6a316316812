export default {
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
