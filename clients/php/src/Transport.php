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
    private readonly string $baseUrl;
    private readonly string $apiKey;
    private readonly string $token;
    private readonly float $timeout;

    public function __construct(
        #[\SensitiveParameter] string $baseUrl,
        #[\SensitiveParameter] ?string $apiKey,
        #[\SensitiveParameter] ?string $token,
        float $timeout,
        private readonly int $retries,
    ) {
        $this->baseUrl = Arguments::baseUrl($baseUrl);
        $this->apiKey = Arguments::credential('apiKey', $apiKey);
        $this->token = Arguments::credential('token', $token);
        $this->timeout = Arguments::timeout($timeout);
    }

    /**
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @return array<string, mixed>|null null only if the response may be empty
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
        string|int|null $ifMatch = null,
        bool $mayBeEmpty = false,
    ): ?array {
        $headers = ['Accept: application/json', ...$this->credential($credential)];
        if ($isIdempotent) {
            $headers[] = 'Idempotency-Key: ' . Arguments::idempotencyKey($idempotencyKey);
        }
        if ($ifMatch !== null) {
            $headers[] = 'If-Match: ' . Arguments::etag($ifMatch);
        }
        $text = null;
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            $text = Body::json($body);
        }
        $url = $this->baseUrl . $path . self::queryText($query);
        $isRepeatable = $isSafe || $isIdempotent || $method === 'GET';
        for ($tries = 0; ; $tries++) {
            try {
                return $this->tryOnce($method, $url, $headers, $text, $mayBeEmpty);
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
            return $this->token === '' ? [] : ['Authorization: Bearer ' . $this->token];
        }
        return $this->apiKey === '' ? [] : ['X-API-Key: ' . $this->apiKey];
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
    private function tryOnce(
        string $method,
        string $url,
        #[\SensitiveParameter] array $headers,
        ?string $body,
        bool $mayBeEmpty,
    ): ?array {
        $received = [];
        $request = curl_init($url);
        curl_setopt_array($request, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_TIMEOUT_MS => (int) ceil(1000 * $this->timeout),
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
        if ($status === 204 && $mayBeEmpty) {
            return null;
        }
        $value = self::objectIn($text);
        if ($status < 200 || $status >= 300 || $value === null) {
            throw self::errorOf($status, $received, $value);
        }
        return $value;
    }

    /** @return array<string, mixed>|null */
    private static function objectIn(string $text): ?array
    {
        return str_starts_with(ltrim($text), '{') ? json_decode($text, true) : null;
    }

    /**
     * @param array<string, string> $headers
     * @param array<string, mixed>|null $value
     */
    private static function errorOf(int $status, array $headers, ?array $value): PeykException
    {
        $retryAfter = ctype_digit($headers['retry-after'] ?? '') ? (int) $headers['retry-after'] : null;
        if ($status < 400 || !self::isEnvelope($value)) {
            $message = "The response with status $status is not one of Peyk's.";
            $requestId = $headers['x-request-id'] ?? null;
            return new PeykException('invalid_response', $message, $status, [], $requestId, $retryAfter);
        }
        ['code' => $code, 'message' => $message, 'details' => $details] = $value['error'];
        return new PeykException($code, $message, $status, $details, $value['request_id'], $retryAfter);
    }

    /** @param array<string, mixed>|null $value */
    private static function isEnvelope(?array $value): bool
    {
        $error = $value['error'] ?? null;
        return is_array($error)
            && is_string($error['code'] ?? null)
            && is_string($error['message'] ?? null)
            && is_array($error['details'] ?? null)
            && is_string($value['request_id'] ?? null);
    }
}
