export default {
  rules: `
Damas inglesas, como se juegan en los clubes estadounidenses y británicos.

### El tablero

Solo se usan las casillas oscuras, numeradas del 1 al 32. Las rojas tienen doce peones en las casillas 1 a 12, en la parte inferior del tablero, y las negras
doce en las casillas 21 a 32. **Empiezan las rojas.**

### Movimientos

1. Un peón avanza una casilla en diagonal hacia delante, a una casilla vacía.
2. Una dama mueve una casilla en diagonal en cualquier dirección.
3. Un peón captura saltando en diagonal hacia delante sobre una ficha rival contigua y cae en la casilla vacía que hay detrás. Una dama salta en cualquier dirección.
4. **Si puedes saltar, debes hacerlo.** Si hay varios saltos posibles, eliges el que quieras.
5. Si la misma ficha puede seguir saltando, debe hacerlo: una cadena de saltos es una sola jugada y hay que completarla.
6. Un peón que llega a la última fila se convierte en dama. La jugada termina ahí, aunque la nueva dama pudiera saltar de nuevo.

![Un peón avanza una casilla.](B:W30:B11 | 11-16)
![Un peón salta sobre la ficha que tiene delante y la captura.](B:W18:B15 | 15x22)
![Puede seguir saltando, así que debe: dos capturas en una jugada.](B:W18,26:B15 | 15x22x31)
![En la última fila un peón se convierte en dama.](B:W5:B26 | 26-31)
![Una dama también retrocede.](B:W32:BK18 | 18-14)

### El final

Si no puedes mover, porque todas tus fichas están capturadas o bloqueadas, pierdes.

La partida es tablas cuando la misma posición se da por tercera vez con el mismo bando en juego, cuando cada bando ha hecho 40 jugadas seguidas
sin capturas ni avances de peón, o cuando ambos jugadores lo acuerdan. Abandonar o agotar el tiempo es perder.`,
  strategy: `
### En cada turno, por este orden

1. **Saltar es obligatorio, para los dos.** Mira qué tendrá que capturar tu rival después de tu jugada, y qué podrás capturar tú después. Casi todas las partidas se deciden con una *combinación*: entregar un peón para comer dos.
2. **Cuenta.** Una dama vale más o menos un peón y medio. Con un peón de más se ganan casi todos los finales: cambia piezas cuando vayas por delante, nunca cuando vayas por detrás.
3. **Corona damas** y no dejes que tu rival corone. Deja dos peones en la primera fila tanto tiempo como puedas: 1 y 3 para las rojas, 30 y 32 para las negras.
4. **Domina el centro.** Los peones en 14, 15, 18 y 19 y alrededores controlan la partida; en los bordes tienen la mitad de movimientos. Si puedes elegir, captura hacia el centro.
5. **Mantén las fichas juntas.** Un peón con otro detrás no se puede saltar. Los que se adelantan solos se pierden.
6. **No te quedes sin jugadas.** Al final de la partida gana quien tiene la última jugada de espera, y un cambio suele alterar quién la tiene.

### Aperturas

Buenas primeras jugadas de las rojas: 11-15 (la más activa), 9-14, 11-16, 10-14, 12-16, 9-13 (tranquila). La más débil es 10-15.

Buenas respuestas a 11-15: 23-19, 22-18 (ofrece un cambio en el centro), 24-19, 22-17. A 9-14: 22-18. A 9-13: 22-18, 24-20.

### Finales que conviene conocer

- **Dos damas contra una** ganan, salvo que la dama sola esté en un doble rincón (1 y 5, o 28 y 32): ofrécele allí un cambio que no pueda rechazar.
- **Tres damas contra dos** ganan: fuerza un cambio.
- **Una dama delante de un peón** lo detiene.
- Cuarenta jugadas sin capturas ni avances de peón son tablas: avanza un peón, aunque solo sea para ganar tiempo.`,
};
