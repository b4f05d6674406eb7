// Requests /readyz of the program in this container; OPS_PORT is not published.
const port = process.env.OPS_PORT || '9090';
try {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) });
  if (response.status !== 200) console.error(await response.text());
  process.exitCode = response.status === 200 ? 0 : 1;
} catch (error) {
  console.error(`no answer on port ${port}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
