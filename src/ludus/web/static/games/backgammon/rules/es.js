export default {
  rules: `
Dos jugadores, blancas y negras, llevan quince fichas cada uno alrededor de 24 puntos y fuera del tablero. Los números del borde son los del jugador
de abajo: tus fichas van del 24 al 1.

### Posición inicial

| fichas | en tu punto |
|---|---|
| dos | 24 |
| cinco | 13 |
| tres | 8 |
| cinco | 6 |

Los puntos 1 a 6 son tu casa. Tu rival coloca las suyas igual, contando desde el otro extremo.

### La salida

Cada bando tira un dado, y se repite si hay empate. Empieza quien saca el número más alto, y juega los dos dados. El servidor tira todos los dados y se compromete
con ellos antes de la primera tirada; después de la partida cualquiera puede verificarlos.

### Un turno

1. Cada dado mueve una ficha tantos puntos como indica; una misma ficha puede usar los dos si puede apoyarse entre medias. Los dobles se juegan cuatro veces.
2. Una ficha puede caer en un punto vacío, con fichas propias o con una sola ficha rival, un *blot*. Dos o más fichas rivales bloquean el punto.
3. Caer sobre un blot lo golpea: esa ficha va a la barra.
4. Las fichas de la barra deben entrar primero, en los puntos 24 a 19: con un 1 en el 24, con un 6 en el 19.
5. Debes usar los dos dados si puedes, en cualquier orden. Si puedes jugar uno u otro pero no los dos, debes jugar el más alto.
6. Si no hay jugada legal, pierdes el turno.

![Un 3 y un 1 hacen un punto: nadie puede caer allí.](XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 | 8/5 6/5)
![Una ficha sola es golpeada de paso y va a la barra.](XGID=-b----E-C---dE---c-e-a--B-:0:0:1:31:0:0:0:0:10 | 24/21*/20)
![La ficha de la barra entra primero, aquí con el 3.](XGID=-b----E-C---eE---c-e----AA:0:0:1:31:0:0:0:0:10 | bar/22 24/23)

### Retirar las fichas

Cuando todas tus fichas están en tu casa, un dado puede retirar una ficha del punto con su número. Si ese punto y todos los superiores
están vacíos, retira una del punto más alto ocupado. Si mientras tanto te golpean una ficha, primero tiene que volver a casa.

![Todas las fichas están en casa: un 2 y un 1 retiran dos.](XGID=-BBB---------------bbb----:0:0:1:21:0:0:0:0:10 | 2/off 1/off)

### Ganar

Gana el primero que retira sus quince fichas.

| | | puntos |
|---|---|---|
| simple | el perdedor ha retirado al menos una ficha | 1 |
| gammon | el perdedor no ha retirado ninguna | 2 |
| backgammon | ninguna, y aún tiene una ficha en la barra o en la casa del ganador | 3 |

No hay tablas. Agotar el tiempo es perder una partida simple, o el match entero.

### El cubo de doblar

Si se juega con cubo, al principio está en el centro: la partida vale un punto. Antes de tirar, quien se ve por delante puede doblar. El rival
*rechaza* y pierde los puntos que había en juego, o *acepta*: la partida sigue por el doble de puntos y solo quien ha aceptado puede doblar la próxima vez.
El gammon y el backgammon valen dos y tres veces el cubo.

Quien no puede doblar tira directamente: el cubo es del rival o ya no hacen falta más puntos.

### Matches

Un match suele jugarse a un número impar de puntos: 3, 5, 7… Los puntos de las partidas se suman y gana quien llega primero a la meta.

- **Regla Crawford:** la primera vez que a alguien le falta un solo punto, la partida siguiente se juega sin doblar. Después se puede volver a doblar.
- Los puntos que pasan de la meta no cuentan.

### Reglas de las partidas sueltas

Las partidas sueltas con cubo tienen dos opciones:

- **Regla Jacoby:** el gammon y el backgammon solo cuentan si se ha doblado. Así se acortan las partidas ya decididas.
- **Beavers:** quien acepta puede girar el cubo otra vez al instante y quedárselo. Quien había doblado acepta o rechaza.

### Abandonar

Una partida con cubo o de un match se puede abandonar como simple, gammon o backgammon. El rival acepta, o rechaza y sigue jugando.`,
  strategy: `
### En cada turno, por este orden

1. **Compara la carrera.** Los pips junto a los nombres muestran cuánto le falta a cada bando. Si vas por delante en una décima parte o más: corre, saca tus fichas de atrás y evita que te golpeen. Si vas por detrás: mantén puntos y espera un tiro.
2. **¿Puedes golpear?** Le cuesta a tu rival todos los pips que esa ficha había recorrido. En tu propia casa, golpea sin cubrirte solo si que te devuelvan el golpe cuesta poco.
3. **¿Puedes hacer un buen punto?** Por orden: tu punto 5, el 4, el 7, el 3; también los suyos (20 o 21, un *ancla*). Seis seguidos, un *prime*, no se pueden saltar.
4. **Cuenta los tiros a tus blots.** Si tienes que dejar uno, déjalo atrás y a más de seis puntos de sus fichas: es tres veces más seguro.
5. **No entierres fichas** demasiado pronto en tus puntos 1 y 2, ni apiles más de cuatro en un punto.

### Tiros

Tiradas de 36 que golpean un blot sin nada en medio:

| distancia | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
| tiradas | 11 | 12 | 14 | 15 | 15 | 17 | 6 | 6 | 5 | 3 | 2 | 3 |

### Las mejores jugadas de apertura

| tirada | jugada | tirada | jugada |
|---|---|---|---|
| 31 | 8/5 6/5 | 21 | 13/11 6/5 o 24/23 13/11 |
| 42 | 8/4 6/4 | 41 | 24/23 13/9 |
| 53 | 8/3 6/3 | 51 | 24/23 13/8 |
| 61 | 13/7 8/7 | 32 | 24/21 13/11 |
| 65 | 24/13 | 43 | 24/20 13/10 o 13/10 13/9 |
| 64 | 24/14, 8/2 6/2 o 24/18 13/9 | 52 | 13/8 13/11 o 24/22 13/8 |
| 63 | 24/18 13/10 | 54 | 13/8 24/20 o 13/8 13/9 |
| 62 | 24/18 13/11 | | |

### Planes

- **Carrera:** vas por delante y ya no hay contacto. No desperdicies pips y retira una ficha siempre que los dados lo permitan.
- **Juego de contención:** un ancla en el 20 o el 18, y paciencia.
- **Juego de bloqueo:** de cuatro a seis puntos seguidos delante de sus fichas de atrás. Cierra el hueco y luego golpea.
- **Blitz:** tu rival tiene dos o más fichas atrás y tú tienes diez cerca: ataca cada blot en tu casa.

### Retirar fichas con contacto

Vacía desde atrás, primero el punto 6. Mantén un número par de fichas en tus dos puntos más altos. La seguridad va antes que la velocidad.`,
};
