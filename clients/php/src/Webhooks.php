<?php

declare(strict_types=1);

namespace Peyk;

/** Checks that an event came from Peyk (Standard Webhooks 1.0). */
final class Webhooks
{
    /**
     * Returns the event of a request whose signature is right. The payload is the body exactly as it arrived.
     *
     * @param array<string, string|list<string>> $headers
     * @return array<string, mixed>
     */
    public static function verify(
        string $payload,
        array $headers,
        #[\SensitiveParameter] string $secret,
        int $toleranceSeconds = 300,
    ): array {
        $timestamp = self::header($headers, 'webhook-timestamp');
        $signed = self::header($headers, 'webhook-id') . '.' . $timestamp . '.' . $payload;
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        if ($key === false || $key === '') {
            throw new \InvalidArgumentException('The secret is not the whsec_… of a webhook.');
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
        $isRight = false;
        foreach (explode(' ', self::header($headers, 'webhook-signature')) as $given) {
            $isRight = hash_equals($expected, $given) || $isRight;
        }
        if (!$isRight) {
            throw new WebhookVerificationException("The signature is not Peyk's.");
        }
        if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > $toleranceSeconds) {
            throw new WebhookVerificationException('The request is too old, or from the future.');
        }
        $text = preg_replace('/^\xEF\xBB\xBF/', '', $payload);
        return json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    }

    /** @param array<string, string|list<string>> $headers */
    private static function header(array $headers, string $name): string
    {
        foreach ($headers as $key => $value) {
            $text = is_array($value) ? ($value[0] ?? '') : $value;
            if (strtolower((string) $key) === $name && $text !== '') {
                return $text;
            }
        }
        throw new WebhookVerificationException("There is no $name header.");
    }
}
