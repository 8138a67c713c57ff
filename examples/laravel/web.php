<?php

// routes/web.php. Add clients/php as a path repository: composer require peyk/client
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Route;
use Peyk\Peyk;
use Peyk\PeykException;

$withErrors = function (callable $handle) {
    try {
        return $handle();
    } catch (PeykException $error) {
        return response()->json(['error' => $error->errorCode], $error->status ?: 503);
    }
};

$peyk = new Peyk(getenv('PEYK_URL'), apiKey: getenv('PEYK_API_KEY'));

// Exclude login/* from the CSRF check, or send the token from the page: the bodies are JSON.
Route::post('/login/send', fn (Request $request) => $withErrors(function () use ($request, $peyk) {
    $sent = $peyk->otp->send((string) $request->input('phone'), ['client' => ['ip' => $request->ip()]]);
    // The page never sees the id: a code works only in the browser that asked for it.
    $request->session()->put('verification', $sent['verification_id']);

    return response()->json(['expires_in' => $sent['expires_in']]);
}));

Route::post('/login/verify', fn (Request $request) => $withErrors(function () use ($request, $peyk) {
    $id = (string) $request->session()->get('verification', '');
    $outcome = $peyk->otp->verify($id, (string) $request->input('code'));
    if (! $outcome['verified']) {
        return response()->json(['verified' => false, 'reason' => $outcome['reason']]);
    }
    $phone = $peyk->otp->status($id)['phone'];
    $request->session()->forget('verification');

    // Start your own session for this phone here: Auth::login($user).
    return response()->json(['verified' => true, 'phone' => $phone]);
}));
