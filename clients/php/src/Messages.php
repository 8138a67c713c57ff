<?php

declare(strict_types=1);

namespace Peyk;

/** Messages to one phone each. */
final class Messages extends Sent
{
    protected const FILTERS = ['to', ...self::COMMON_FILTERS];
    private const FIELDS = ['to', 'message', 'template', 'channels', 'strategy', 'metadata', 'send_at', 'delay'];

    /**
     * Creates a message. Repeated after a lost response, it creates no second one.
     *
     * @param array<string, mixed> $fields `message` or `template`, `channels`, `strategy`, `metadata`, `send_at` or
     *     `delay`
     * @return array<string, mixed>
     */
    public function send(string $to, array $fields, ?string $idempotencyKey = null): array
    {
        return $this->transport->send(
            'POST',
            $this->root . '/send',
            body: ['to' => $to, ...Arguments::fields($fields, self::FIELDS)],
            isIdempotent: true,
            idempotencyKey: $idempotencyKey,
        );
    }

    /**
     * Creates up to 500 messages. Each has its own outcome, in the order of the request.
     *
     * @param list<array<string, mixed>> $messages
     * @return array{data: list<array<string, mixed>>}
     */
    public function batch(array $messages, ?string $idempotencyKey = null): array
    {
        return $this->transport->send(
            'POST',
            $this->root . '/batch',
            body: ['messages' => $messages],
            isIdempotent: true,
            idempotencyKey: $idempotencyKey,
        );
    }
}
