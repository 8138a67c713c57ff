<?php

declare(strict_types=1);

namespace Peyk;

/** A client of one Peyk. Fields have the names of the API. */
final class Peyk
{
    public readonly LiveCodes $otp;
    public readonly Messages $messages;
    /** With a test key: nothing is sent, and the code is 123456. */
    public readonly Codes $sandbox;
    public readonly Messages $sandboxMessages;
    public readonly Manage $manage;
    private readonly Transport $transport;

    /** The API key is a service key; the token, for `manage`, a personal access token. */
    public function __construct(
        #[\SensitiveParameter] string $baseUrl,
        #[\SensitiveParameter] ?string $apiKey = null,
        #[\SensitiveParameter] ?string $token = null,
        float $timeout = 20.0,
        int $retries = 2,
    ) {
        $this->transport = new Transport($baseUrl, $apiKey, $token, $timeout, $retries);
        $this->otp = new LiveCodes($this->transport, '/v1/otp');
        $this->messages = new Messages($this->transport, '/v1/messages');
        $this->sandbox = new Codes($this->transport, '/v1/sandbox/otp');
        $this->sandboxMessages = new Messages($this->transport, '/v1/sandbox/messages');
        $this->manage = new Manage($this->transport);
    }

    /**
     * What your own records have of a phone. The phone is not in the path of the request.
     *
     * @return array<string, mixed>
     */
    public function lookup(string $phone): array
    {
        return $this->transport->send('POST', '/v1/phones/lookup', body: ['phone' => $phone], isSafe: true);
    }

    /**
     * The customer's plan, limits, prices, quota and wallet.
     *
     * @return array<string, mixed>
     */
    public function account(): array
    {
        return $this->transport->send('GET', '/v1/account');
    }
}
