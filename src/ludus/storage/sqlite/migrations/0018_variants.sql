-- compatible: 0008
-- The variant of a session and of a challenge, with the options of the game: a doubling cube, the length of a match. Older
-- servers play the standard game.

ALTER TABLE sessions ADD COLUMN variant TEXT NOT NULL DEFAULT 'standard';

ALTER TABLE challenges ADD COLUMN variant TEXT NOT NULL DEFAULT 'standard';
