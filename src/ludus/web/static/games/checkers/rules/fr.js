export default {
  rules: `
Les dames anglaises, telles qu'on les joue dans les clubs américains et britanniques.

### Le damier

On ne joue que sur les cases foncées, numérotées de 1 à 32. Les rouges ont douze pions sur les cases 1 à 12, en bas du damier, et les noirs
douze sur les cases 21 à 32. **Les rouges commencent.**

### Les coups

1. Un pion avance d'une case en diagonale vers l'avant, sur une case vide.
2. Une dame se déplace d'une case en diagonale dans toutes les directions.
3. Un pion prend en sautant en diagonale vers l'avant par-dessus une pièce adverse voisine, sur la case vide juste derrière. Une dame saute dans toutes les directions.
4. **Si vous pouvez prendre, vous devez le faire.** Entre plusieurs prises, le choix est libre.
5. Si la même pièce peut continuer à prendre, elle le doit : une rafle est un seul coup et doit être jouée jusqu'au bout.
6. Un pion qui atteint la dernière rangée devient dame. Le coup s'arrête là, même si la nouvelle dame pouvait encore prendre.

![Un pion avance d'une case.](B:W30:B11 | 11-16)
![Un pion saute par-dessus la pièce devant lui et la prend.](B:W18:B15 | 15x22)
![Il peut continuer, donc il le doit : deux prises en un coup.](B:W18,26:B15 | 15x22x31)
![Sur la dernière rangée, un pion devient dame.](B:W5:B26 | 26-31)
![Une dame recule aussi.](B:W32:BK18 | 18-14)

### La fin

Si vous ne pouvez plus jouer, parce que toutes vos pièces sont prises ou bloquées, vous perdez.

La partie est nulle quand la même position se présente pour la troisième fois avec le même camp au trait, quand chaque camp a joué 40 coups de suite
sans prise ni avance de pion, ou quand les deux joueurs en conviennent. Abandonner ou dépasser le temps fait perdre la partie.`,
  strategy: `
### À chaque coup, dans cet ordre

1. **La prise est obligatoire, pour les deux camps.** Regardez ce que votre adversaire devra prendre après votre coup, puis ce que vous pourrez prendre ensuite. La plupart des parties se décident sur une *combinaison* : donner un pion pour en prendre deux.
2. **Comptez.** Une dame vaut environ un pion et demi. Un pion d'avance gagne la plupart des finales : échangez quand vous menez, jamais quand vous êtes en retard.
3. **Allez à dame**, et empêchez votre adversaire d'y aller. Gardez deux pions sur votre première rangée aussi longtemps que possible : 1 et 3 pour les rouges, 30 et 32 pour les noirs.
4. **Tenez le centre.** Les pions sur 14, 15, 18 et 19 et autour contrôlent le jeu ; au bord, ils ont deux fois moins de coups. Si vous avez le choix, prenez vers le centre.
5. **Restez groupé.** Un pion soutenu par un autre derrière lui ne peut pas être pris. Les pions isolés loin devant se perdent.
6. **Ne tombez pas à court de coups.** En fin de partie, celui qui a le dernier coup d'attente gagne, et un échange change souvent qui l'a.

### Ouvertures

Bons premiers coups des rouges : 11-15 (le plus actif), 9-14, 11-16, 10-14, 12-16, 9-13 (tranquille). Le plus faible est 10-15.

Bonnes réponses à 11-15 : 23-19, 22-18 (propose un échange au centre), 24-19, 22-17. À 9-14 : 22-18. À 9-13 : 22-18, 24-20.

### Finales à connaître

- **Deux dames contre une** gagnent, sauf si la dame seule occupe un double coin (1 et 5, ou 28 et 32) : proposez-lui là un échange qu'elle ne peut refuser.
- **Trois dames contre deux** gagnent : forcez un échange.
- **Une dame devant un pion** l'arrête.
- Quarante coups sans prise ni avance de pion font nulle : avancez un pion, ne serait-ce que pour gagner du temps.`,
};
