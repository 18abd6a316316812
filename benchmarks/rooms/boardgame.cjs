// boardgame.io's server with its own in-memory storage, on the port that is free; prints it when it listens.
// An argument, JSON, is merged into the game: {"disableUndo": true}.
const { Server } = require('boardgame.io/server');
const { Checkers } = require('./checkers.cjs');

const game = { ...Checkers, ...JSON.parse(process.argv[2] || '{}') };
const server = Server({ games: [game], origins: ['http://localhost'] });

server.run({ port: 0 }).then(({ appServer }) => console.log(`listening on port ${appServer.address().port}`));
