<?php

declare(strict_types=1);

namespace Peyk;

/** One-time codes. */
class Codes extends Sent
{
    protected const FILTERS = ['phone', ...self::COMMON_FILTERS];
    protected const FIELDS = ['phone', 'channels', 'channel_timeout', 'template_id', 'metadata', 'locale', 'client'];

    /**
     * Sends a code. Repeated after a lost response, it sends no second one.
     *
     * @param array<string, mixed> $fields `channels`, `channel_timeout`, `template_id`, `metadata`, `locale`, `client`
     * @return array<string, mixed>
     */
    public function send(string $phone, array $fields = [], ?string $idempotencyKey = null): array
    {
        return $this->transport->send(
            'POST',
            $this->root . '/send',
            body: ['phone' => $phone, ...Arguments::fields($fields, self::FIELDS)],
            isIdempotent: true,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Checks a code. Only `verified` is success. It is never repeated: each try counts.
     *
     * @return array{verified: bool, reason: string}
     */
    public function verify(string $verificationId, string $code): array
    {
        $body = ['verification_id' => $verificationId, 'code' => $code];
        return $this->transport->send('POST', $this->root . '/verify', body: $body);
    }

    /**
     * Tries the next channel now, or the one that your user asks for; with `$fromSequence`, only if no later attempt
     * exists yet.
     *
     * @return array<string, mixed>
     */
    public function next(string $id, ?int $fromSequence = null, ?string $channel = null): array
    {
        $body = array_filter(
            ['from_sequence' => $fromSequence, 'channel' => $channel],
            fn (int|string|null $value): bool => $value !== null,
        );
        return $this->transport->send('POST', $this->at($id, '/next'), body: $body, isSafe: $fromSequence !== null);
    }
}
