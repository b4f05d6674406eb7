// Prints N ports of 127.0.0.1 that are free at this moment, on one line.
import { createServer } from 'node:net';

const servers = await Promise.all(
  Array.from(
    { length: Number(process.argv[2]) },
    () =>
      new Promise((resolve) =>
        createServer().listen(0, '127.0.0.1', function () {
          resolve(this);
        }),
      ),
  ),
);
console.log(servers.map((server) => server.address().port).join(' '));
for (const server of servers) server.close();
