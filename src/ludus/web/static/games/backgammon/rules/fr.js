export default {
  rules: `
Deux joueurs, les blancs et les noirs, font avancer quinze pions chacun sur 24 flèches, puis les sortent du plateau. Les numéros au bord sont ceux du joueur
du bas : vos pions vont de 24 à 1.

### Position de départ

| pions | sur votre flèche |
|---|---|
| deux | 24 |
| cinq | 13 |
| trois | 8 |
| cinq | 6 |

Les flèches 1 à 6 forment votre jan intérieur. Votre adversaire place ses pions de la même façon, en comptant depuis l'autre bout.

### Le début

Chaque camp lance un dé, et recommence en cas d'égalité. Le plus haut commence et joue les deux dés. C'est le serveur qui lance tous les dés ; il s'engage
avant le premier lancer, et après la partie chacun peut les vérifier.

### Un tour

1. Chaque dé fait avancer un pion d'autant de flèches ; un même pion peut jouer les deux dés s'il peut se poser entre les deux. Un double se joue quatre fois.
2. Un pion peut se poser sur une flèche vide, occupée par vos pions ou par un seul pion adverse, un *blot*. Deux pions adverses ou plus bloquent une flèche.
3. Se poser sur un blot le frappe : ce pion va sur la barre.
4. Les pions sur la barre doivent d'abord rentrer, sur les flèches 24 à 19 : avec un 1 sur la 24, avec un 6 sur la 19.
5. Vous devez jouer les deux dés si vous le pouvez, dans l'ordre de votre choix. Si vous pouvez jouer l'un ou l'autre mais pas les deux, vous devez jouer le plus fort.
6. S'il n'y a aucun coup légal, vous passez votre tour.

![Un 3 et un 1 font une flèche : personne ne peut s'y poser.](XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 | 8/5 6/5)
![Un pion seul est frappé au passage et va sur la barre.](XGID=-b----E-C---dE---c-e-a--B-:0:0:1:31:0:0:0:0:10 | 24/21*/20)
![Le pion sur la barre rentre d'abord, ici avec le 3.](XGID=-b----E-C---eE---c-e----AA:0:0:1:31:0:0:0:0:10 | bar/22 24/23)

### La sortie

Quand tous vos pions sont dans votre jan intérieur, un dé permet de sortir un pion de la flèche qui porte son numéro. Si cette flèche et toutes les plus hautes
sont vides, il sort un pion de la plus haute flèche occupée. Un pion frappé entre-temps doit d'abord revenir.

![Tous les pions sont dans le jan : un 2 et un 1 en sortent deux.](XGID=-BBB---------------bbb----:0:0:1:21:0:0:0:0:10 | 2/off 1/off)

### La victoire

Le premier à sortir ses quinze pions gagne.

| | | points |
|---|---|---|
| simple | le perdant a sorti au moins un pion | 1 |
| gammon | le perdant n'en a sorti aucun | 2 |
| backgammon | aucun, et il lui reste un pion sur la barre ou dans le jan intérieur du gagnant | 3 |

Il n'y a pas de nulle. Dépasser le temps fait perdre une partie simple, ou tout le match.

### Le videau

Quand on joue avec le videau, il est d'abord au centre : la partie vaut un point. Avant de lancer, un joueur qui se croit en avance peut
doubler. L'adversaire *passe* et perd les points en jeu jusque-là, ou il *prend* : la partie continue pour le double, et seul celui qui a pris pourra
doubler la fois suivante. Gammon et backgammon comptent deux et trois fois le videau.

Qui ne peut pas doubler lance aussitôt : le videau est à l'adversaire, ou les points ne serviraient plus à rien.

### Les matchs

Un match se joue en général en un nombre impair de points : 3, 5, 7… Les points des parties s'additionnent ; le premier à atteindre le total gagne.

- **Règle de Crawford :** la première fois qu'il ne manque qu'un point à un joueur, la partie suivante se joue sans doubler. Ensuite, on peut de nouveau doubler.
- Les points au-delà du total ne comptent pas.

### Les règles des parties simples

Pour les parties simples avec videau, il y a deux options :

- **Règle de Jacoby :** gammon et backgammon ne comptent que si l'on a doublé. Cela raccourcit les parties déjà jouées.
- **Beavers :** qui prend peut aussitôt tourner encore le videau tout en le gardant. Celui qui a doublé prend ou passe à son tour.

### Abandonner

Une partie avec videau, ou une partie d'un match, s'abandonne comme partie simple, gammon ou backgammon. L'adversaire accepte, ou refuse et la partie continue.`,
  strategy: `
### À chaque tour, dans cet ordre

1. **Comparez la course.** Les pips à côté des noms indiquent le chemin qui reste à chaque camp. Si vous avez un dixième d'avance ou plus : courez, sortez vos pions arrière, évitez d'être frappé. Si vous êtes en retard : tenez des flèches et attendez un tir.
2. **Pouvez-vous frapper ?** Cela coûte à l'adversaire tous les pips parcourus par ce pion. Dans votre jan intérieur, ne frappez à découvert que si une riposte coûte peu.
3. **Pouvez-vous faire une bonne flèche ?** Dans l'ordre : votre flèche 5, la 4, la 7, la 3 ; les siennes aussi (20 ou 21, une *ancre*). Six de suite, une *prime*, sont infranchissables.
4. **Comptez les tirs sur vos blots.** S'il faut en laisser un, laissez-le loin derrière et à plus de six flèches de ses pions : c'est trois fois plus sûr.
5. **N'enterrez pas de pions** trop tôt sur vos flèches 1 et 2, et n'en empilez pas plus de quatre sur une flèche.

### Les tirs

Lancers sur 36 qui frappent un blot sans obstacle :

| distance | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
| lancers | 11 | 12 | 14 | 15 | 15 | 17 | 6 | 6 | 5 | 3 | 2 | 3 |

### Les meilleures ouvertures

| lancer | coup | lancer | coup |
|---|---|---|---|
| 31 | 8/5 6/5 | 21 | 13/11 6/5 ou 24/23 13/11 |
| 42 | 8/4 6/4 | 41 | 24/23 13/9 |
| 53 | 8/3 6/3 | 51 | 24/23 13/8 |
| 61 | 13/7 8/7 | 32 | 24/21 13/11 |
| 65 | 24/13 | 43 | 24/20 13/10 ou 13/10 13/9 |
| 64 | 24/14, 8/2 6/2 ou 24/18 13/9 | 52 | 13/8 13/11 ou 24/22 13/8 |
| 63 | 24/18 13/10 | 54 | 13/8 24/20 ou 13/8 13/9 |
| 62 | 24/18 13/11 | | |

### Les plans

- **Course :** vous menez et il n'y a plus de contact. Ne gaspillez pas de pips, et sortez un pion chaque fois que les dés le permettent.
- **Jeu d'attente :** une ancre en 20 ou en 18, et de la patience.
- **Jeu de blocage :** quatre à six flèches de suite devant ses pions arrière. Comblez le trou, puis frappez.
- **Blitz :** il a deux pions arrière ou plus et vous en avez dix à proximité : attaquez chaque blot dans votre jan intérieur.

### Sortir quand il y a encore du contact

Dégagez par l'arrière, la flèche 6 d'abord. Gardez un nombre pair de pions sur vos deux plus hautes flèches. La sécurité passe avant la vitesse.`,
};
