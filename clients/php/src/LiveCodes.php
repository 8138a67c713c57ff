<?php

declare(strict_types=1);

namespace Peyk;

/** One-time codes, with a live key. */
final class LiveCodes extends Codes
{
    /**
     * What a send with these fields would do now. It sends, charges and counts nothing.
     *
     * @param array<string, mixed> $fields `channels`, `channel_timeout`, `template_id`, `metadata`, `locale`, `client`
     * @return array<string, mixed>
     */
    public function preview(string $phone, array $fields = []): array
    {
        $body = ['phone' => $phone, ...Arguments::fields($fields, self::FIELDS)];
        return $this->transport->send('POST', $this->root . '/preview', body: $body, isSafe: true);
    }
}
