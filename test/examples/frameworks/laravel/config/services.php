<?php

return ['peyk' => ['url' => env('PEYK_URL'), 'key' => env('PEYK_API_KEY')]];
