export default {
  rules: `
Zwei Spieler, Weiß und Schwarz, ziehen je fünfzehn Steine über 24 Felder und tragen sie ab. Die Nummern am Rand gelten für den Spieler
unten: Deine Steine laufen von 24 nach 1.

### Aufstellung

| Steine | auf deinem Feld |
|---|---|
| zwei | 24 |
| fünf | 13 |
| drei | 8 |
| fünf | 6 |

Die Felder 1 bis 6 sind dein Heimfeld. Dein Gegner stellt genauso auf, vom anderen Ende aus gezählt.

### Der Anfang

Jede Seite würfelt mit einem Würfel, bei Gleichstand noch einmal. Wer höher würfelt, beginnt und spielt beide Würfel. Gewürfelt wird auf
dem Server, der sich vor dem ersten Wurf auf alle Würfe festlegt; nach der Partie kann jeder sie nachprüfen.

### Ein Zug

1. Jeder Würfel bewegt einen Stein um so viele Felder; ein Stein darf auch beide Würfel nutzen, wenn er dazwischen aufsetzen kann. Ein Pasch wird viermal gespielt.
2. Ein Stein darf auf ein Feld ziehen, das leer ist oder auf dem eigene Steine oder ein einzelner gegnerischer Stein stehen, ein *Blot*. Zwei oder mehr gegnerische Steine blockieren ein Feld.
3. Wer auf einen Blot zieht, schlägt ihn: Der Stein kommt auf die Bar.
4. Steine auf der Bar müssen zuerst eingesetzt werden, auf den Feldern 24 bis 19: mit einer 1 auf 24, mit einer 6 auf 19.
5. Beide Würfel müssen gespielt werden, wenn das geht, in beliebiger Reihenfolge. Kannst du nur einen von beiden spielen, muss es der höhere sein.
6. Ist kein Zug möglich, setzt du aus.

![Eine 3 und eine 1 machen ein Feld: Dort kann niemand landen.](XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 | 8/5 6/5)
![Ein einzelner Stein wird unterwegs geschlagen und kommt auf die Bar.](XGID=-b----E-C---dE---c-e-a--B-:0:0:1:31:0:0:0:0:10 | 24/21*/20)
![Der Stein auf der Bar kommt zuerst herein, hier mit der 3.](XGID=-b----E-C---eE---c-e----AA:0:0:1:31:0:0:0:0:10 | bar/22 24/23)

### Abtragen

Stehen alle deine Steine im Heimfeld, darfst du mit einem Würfel einen Stein von dem Feld mit seiner Augenzahl abtragen. Sind dieses Feld und
alle höheren leer, trägst du vom höchsten besetzten Feld ab. Wird dabei ein Stein geschlagen, muss er erst wieder ins Heimfeld.

![Alle Steine sind im Heimfeld: Eine 2 und eine 1 tragen zwei ab.](XGID=-BBB---------------bbb----:0:0:1:21:0:0:0:0:10 | 2/off 1/off)

### Gewinnen

Wer alle fünfzehn Steine abgetragen hat, gewinnt.

| | | Punkte |
|---|---|---|
| einfach | der Verlierer hat mindestens einen Stein abgetragen | 1 |
| Gammon | der Verlierer hat keinen abgetragen | 2 |
| Backgammon | keinen, und er hat noch einen Stein auf der Bar oder im Heimfeld des Siegers | 3 |

Ein Remis gibt es nicht. Wer die Zeit überschreitet, verliert einfach, im Match das ganze Match.

### Der Dopplerwürfel

Wird mit Dopplerwürfel gespielt, liegt er anfangs in der Mitte: Das Spiel ist einen Punkt wert. Wer sich im Vorteil sieht, darf vor dem Würfeln
verdoppeln. Der Gegner lehnt ab und verliert die Punkte, um die es bis dahin ging, oder er nimmt an: Dann geht das Spiel um doppelt so viele Punkte weiter,
und nur wer angenommen hat, darf das nächste Mal verdoppeln. Gammon und Backgammon zählen das Zwei- und Dreifache des Würfels.

Wer nicht verdoppeln kann, würfelt sofort: Der Würfel gehört dem Gegner, oder die Punkte werden nicht mehr gebraucht.

### Matches

Ein Match geht meist auf eine ungerade Punktzahl: 3, 5, 7 und so weiter. Die Punkte der Spiele werden addiert; wer die Länge zuerst erreicht, gewinnt.

- **Crawford-Regel:** Fehlt einem Spieler zum ersten Mal nur noch ein Punkt, wird das nächste Spiel ohne Verdoppeln gespielt. Danach ist es wieder erlaubt.
- Punkte über die Länge hinaus zählen nicht.

### Regeln für einzelne Spiele

Für einzelne Spiele mit Dopplerwürfel gibt es zwei Zusätze:

- **Jacoby-Regel:** Gammon und Backgammon zählen nur, wenn verdoppelt wurde. Das kürzt entschiedene Spiele ab.
- **Beaver:** Wer annimmt, darf den Würfel sofort noch einmal drehen und behält ihn trotzdem. Wer verdoppelt hat, nimmt das an oder lehnt ab.

### Aufgeben

Ein Spiel mit Dopplerwürfel oder in einem Match kannst du als einfaches Spiel, Gammon oder Backgammon aufgeben. Der Gegner nimmt an oder lehnt ab und spielt weiter.`,
  strategy: `
### Bei jedem Zug, in dieser Reihenfolge

1. **Vergleiche das Rennen.** Die Pips neben den Namen zeigen, wie weit jede Seite noch laufen muss. Liegst du ein Zehntel oder mehr vorn: laufen, die hinteren Steine herausholen, dich nicht schlagen lassen. Liegst du zurück: Felder halten und auf einen Treffer warten.
2. **Kannst du schlagen?** Das kostet deinen Gegner den ganzen Weg dieses Steins. Im eigenen Heimfeld solltest du nur dann ungedeckt schlagen, wenn ein Gegenschlag wenig kostet.
3. **Kannst du ein gutes Feld machen?** In dieser Reihenfolge: dein Feld 5, 4, 7, 3; auch eines im Heimfeld des Gegners (20 oder 21, ein *Anker*). Sechs Felder in Folge, eine *Prime*, kann niemand überspringen.
4. **Zähle die Treffer auf deine Blots.** Muss einer stehen bleiben, dann weit hinten und mehr als sechs Felder vom Gegner entfernt: Das ist dreimal so sicher.
5. **Vergrabe nicht zu früh Steine** auf deinen Feldern 1 und 2, und staple nicht mehr als vier auf einem Feld.

### Treffer

So viele von 36 Würfen treffen einen Blot, wenn nichts dazwischen steht:

| Abstand | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
| Würfe | 11 | 12 | 14 | 15 | 15 | 17 | 6 | 6 | 5 | 3 | 2 | 3 |

### Die besten Eröffnungszüge

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

- **Laufspiel:** Du liegst vorn, und die Steine sind aneinander vorbei. Verschenke keine Pips, und trage ab, sooft die Würfel es erlauben.
- **Haltespiel:** ein Anker auf 20 oder 18, und Geduld.
- **Blockadespiel:** vier bis sechs Felder in Folge vor den hinteren Steinen des Gegners. Die Lücke schließen, dann schlagen.
- **Blitz:** Der Gegner hat zwei oder mehr Steine hinten, und zehn von deinen sind in der Nähe: Greif jeden Blot in deinem Heimfeld an.

### Abtragen, solange der Gegner noch treffen kann

Räume von hinten ab, Feld 6 zuerst. Halte auf den beiden höchsten Feldern eine gerade Zahl von Steinen. Sicherheit geht vor Tempo.`,
};
