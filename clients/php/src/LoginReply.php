<?php

declare(strict_types=1);

namespace Peyk;

/** The response to send to the login page, as JSON. */
final class LoginReply
{
    /**
     * @param array<string, mixed> $body
     * @param ?string $phone `+98…`, once the right code was entered: sign this person in
     */
    public function __construct(
        public readonly int $status,
        public readonly array $body,
        public readonly ?string $phone = null,
    ) {
    }
}
