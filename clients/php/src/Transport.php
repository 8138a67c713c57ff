<?php

declare(strict_types=1);

namespace Peyk;

/** Sends requests: adds credentials, waits, repeats what is safe to repeat, and throws PeykException. */
final class Transport
{
    private const UNCERTAIN = [
        'connection_failed', 'timeout', 'internal_error', 'service_unavailable', 'request_timeout',
        'idempotency_key_in_progress',
    ];
    private const LONGEST_DELAY_SECONDS = 10;

    public function __construct(
        private readonly string $baseUrl,
        private readonly ?string $apiKey,
        private readonly ?string $token,
        private readonly float $timeout,
        private readonly int $retries,
    ) {
    }

    /**
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     */
    public function send(
        string $method,
        string $path,
        string $credential = 'apiKey',
        array $query = [],
        ?array $body = null,
        bool $isSafe = false,
        bool $isIdempotent = false,
        ?string $idempotencyKey = null,
        ?string $ifMatch = null,
    ): mixed {
        $headers = ['Accept: application/json', ...$this->credential($credential)];
        if ($isIdempotent) {
            $headers[] = 'Idempotency-Key: ' . ($idempotencyKey ?? bin2hex(random_bytes(16)));
        }
        if ($ifMatch !== null) {
            $headers[] = 'If-Match: ' . $ifMatch;
        }
        $text = null;
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            $text = json_encode((object) $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        }
        $url = rtrim($this->baseUrl, '/') . $path . self::queryText($query);
        $isRepeatable = $isSafe || $isIdempotent || $method === 'GET';
        for ($tries = 0; ; $tries++) {
            try {
                return $this->tryOnce($method, $url, $headers, $text);
            } catch (PeykException $error) {
                if ($tries >= $this->retries || !$isRepeatable || !self::mayRetry($error)) {
                    throw $error;
                }
                $delay = min(0.25 * 2 ** $tries, self::LONGEST_DELAY_SECONDS) * random_int(50, 100) / 100;
                usleep((int) (1_000_000 * max($delay, $error->retryAfter ?? 0)));
            }
        }
    }

    /** @return list<string> */
    private function credential(string $kind): array
    {
        if ($kind === 'token') {
            return $this->token === null ? [] : ['Authorization: Bearer ' . $this->token];
        }
        return $this->apiKey === null ? [] : ['X-API-Key: ' . $this->apiKey];
    }

    /** @param array<string, mixed> $query */
    private static function queryText(array $query): string
    {
        $known = array_filter($query, fn (mixed $value): bool => $value !== null);
        $plain = array_map(fn (mixed $value): mixed => is_bool($value) ? ($value ? 'true' : 'false') : $value, $known);
        return $plain === [] ? '' : '?' . http_build_query($plain, '', '&', PHP_QUERY_RFC3986);
    }

    private static function mayRetry(PeykException $error): bool
    {
        if (($error->retryAfter ?? 0) > self::LONGEST_DELAY_SECONDS) {
            return false;
        }
        if ($error->errorCode === 'invalid_response') {
            return $error->status >= 500;
        }
        return in_array($error->errorCode, self::UNCERTAIN, true);
    }

    /** @param list<string> $headers */
    private function tryOnce(string $method, string $url, array $headers, ?string $body): mixed
    {
        $received = [];
        $request = curl_init($url);
        curl_setopt_array($request, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_TIMEOUT_MS => (int) (1000 * $this->timeout),
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$received): int {
                $parts = explode(':', $line, 2);
                if (count($parts) === 2) {
                    $received[strtolower($parts[0])] = trim($parts[1]);
                }
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            curl_setopt($request, CURLOPT_POSTFIELDS, $body);
        }
        $text = curl_exec($request);
        if (!is_string($text)) {
            $isLate = curl_errno($request) === CURLE_OPERATION_TIMEDOUT;
            throw new PeykException($isLate ? 'timeout' : 'connection_failed', curl_error($request));
        }
        $status = (int) curl_getinfo($request, CURLINFO_RESPONSE_CODE);
        return self::read($status, $received, $text);
    }

    /** @param array<string, string> $headers */
    private static function read(int $status, array $headers, string $text): mixed
    {
        $isSuccess = $status >= 200 && $status < 300;
        if ($isSuccess && $text === '') {
            return null;
        }
        $value = json_decode($text, true);
        if ($isSuccess && $value !== null) {
            return $value;
        }
        $retryAfter = ctype_digit($headers['retry-after'] ?? '') ? (int) $headers['retry-after'] : null;
        $error = is_array($value) ? ($value['error'] ?? null) : null;
        if (!is_array($error) || !is_string($error['code'] ?? null)) {
            $message = "The response with status $status is not one of Peyk's.";
            $requestId = $headers['x-request-id'] ?? null;
            throw new PeykException('invalid_response', $message, $status, [], $requestId, $retryAfter);
        }
        throw new PeykException(
            $error['code'],
            (string) $error['message'],
            $status,
            $error['details'],
            $value['request_id'],
            $retryAfter,
        );
    }
}
