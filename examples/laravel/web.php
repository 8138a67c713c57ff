<?php

// Laravel 8 to 12: routes/web.php; the login page goes to public/login.html.
// composer config repositories.peyk path PATH_OF_CLIENTS_PHP && composer require peyk/client:@dev
// In config/services.php: 'peyk' => ['url' => env('PEYK_URL'), 'key' => env('PEYK_API_KEY')],
use Illuminate\Foundation\Http\Middleware\VerifyCsrfToken;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Route;
use Peyk\Peyk;
use Peyk\PeykException;

$withPeyk = function (Request $request, callable $handle) {
    // Another site's form cannot send JSON, so the routes need no CSRF token.
    $type = strtolower(trim(strtok((string) $request->header('Content-Type'), ';')));
    abort_unless($type === 'application/json', 415);
    try {
        return $handle(new Peyk(config('services.peyk.url'), apiKey: config('services.peyk.key')));
    } catch (PeykException $error) {
        // Not Peyk's own response: its status would say something wrong about this page.
        $isForeign = $error->errorCode === 'invalid_response' || $error->status === 0;

        return response()->json(['error' => $error->errorCode], $isForeign ? 503 : $error->status);
    }
};

Route::post('/login/send', fn (Request $request) => $withPeyk($request, function (Peyk $peyk) use ($request) {
    $sent = $peyk->otp->send((string) $request->input('phone'), ['client' => ['ip' => $request->ip()]]);
    // The page never sees the id: a code works only in the browser that asked for it.
    $request->session()->put('verification', $sent['verification_id']);

    return response()->json(['expires_in' => $sent['expires_in']]);
}))->withoutMiddleware(VerifyCsrfToken::class);

Route::post('/login/verify', fn (Request $request) => $withPeyk($request, function (Peyk $peyk) use ($request) {
    $id = (string) $request->session()->get('verification', '');
    $outcome = $peyk->otp->verify($id, (string) $request->input('code'));
    if (! $outcome['verified']) {
        return response()->json(['verified' => false, 'reason' => $outcome['reason']]);
    }
    $phone = $peyk->otp->status($id)['phone'];
    $request->session()->forget('verification');

    // Start your own session for this phone here: Auth::login($user).
    return response()->json(['verified' => true, 'phone' => $phone]);
}))->withoutMiddleware(VerifyCsrfToken::class);
