<?php
// Sends an email over REST, repeats the request with the same idempotency key, and waits for its outcome.
//
//   POSTLOFT_API_KEY=pl_live_… php send-rest.php shop@sandbox.postloft.test you@example.com
//
// It needs PHP 8 and no package.

$url = getenv('POSTLOFT_URL') ?: 'http://localhost:3000';
$key = getenv('POSTLOFT_API_KEY');

function call(string $method, string $path, ?array $body = null, array $headers = []): array
{
    global $url, $key;
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => ["Authorization: Bearer $key", 'Content-Type: application/json', ...$headers],
        'content' => $body === null ? '' : json_encode($body),
        'ignore_errors' => true,
        'timeout' => 30,
    ]]);
    $answer = json_decode(file_get_contents($url . $path, false, $context), true);
    [, $status] = explode(' ', $http_response_header[0]);
    if ($status >= 400) {
        // `details` names each field that is wrong.
        fwrite(STDERR, "$status {$answer['message']} " . json_encode($answer['details']) . "\n");
        exit(1);
    }
    return $answer;
}

[, $from, $to] = $argv;
$email = ['from' => $from, 'to' => $to, 'subject' => 'Order 4711', 'text' => 'Thank you.', 'tags' => ['kind' => 'order']];
// A request that is repeated with its key, after a time-out for example, sends nothing twice.
$once = ['Idempotency-Key: order-4711-' . hrtime(true)];
$sent = call('POST', '/emails', $email, $once);
if (call('POST', '/emails', $email, $once)['id'] !== $sent['id']) {
    exit("the email was sent twice\n");
}
for ($i = 0; $i < 100; $i++) {
    $status = call('GET', "/emails/{$sent['id']}")['status'];
    if (!in_array($status, ['queued', 'sending', 'deferred'], true)) {
        break;
    }
    usleep(200_000);
}
echo "{$sent['id']} $status\n";
