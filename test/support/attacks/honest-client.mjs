// A client in a process of its own: asks one small question after another over one connection and notes how long each
// answer took. A test that makes large bodies would hold the event loop that it measures with.
import { Agent, get } from 'node:http';

const [url, pauseMs] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const latencies = [];
let running = true;
process.once('message', () => (running = false));
process.once('disconnect', () => process.exit());

while (running) {
  const began = performance.now();
  await ask();
  latencies.push(performance.now() - began);
  await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
}
agent.destroy();
process.send(latencies);

function ask() {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject);
  });
}
