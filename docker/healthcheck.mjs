// Requests /readyz of the program on this machine or in this container, on OPS_PORT, which is not published.
//
//   node docker/healthcheck.mjs [--wait SECONDS]      exits with 0 when it is ready, at the latest after SECONDS (default: at once)
const port = process.env.OPS_PORT || '9090';
const wait = process.argv[2] === '--wait' ? Number(process.argv[3]) * 1_000 : 0;
const deadline = Date.now() + wait;

async function problem() {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) });
    return response.status === 200 ? null : await response.text();
  } catch (error) {
    return `no answer on port ${port}: ${error.cause?.message ?? error.message}`;
  }
}

let reason = await problem();
while (reason !== null && Date.now() < deadline) {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  reason = await problem();
}
if (reason !== null) console.error(reason);
process.exitCode = reason === null ? 0 : 1;
