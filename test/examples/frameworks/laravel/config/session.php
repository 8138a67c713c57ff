<?php

return [
    'driver' => 'file',
    'lifetime' => 10,
    'files' => storage_path('framework/sessions'),
    'lottery' => [0, 1],
    'cookie' => 'session',
    'path' => '/',
    'domain' => null,
    'secure' => false,
    'expire_on_close' => false,
    'http_only' => true,
    'same_site' => 'lax',
];
