<?php

// Laravel 8 to 12: routes/web.php; the files of examples/login go to public/.
// composer config repositories.peyk path PATH_OF_CLIENTS_PHP && composer require peyk/client:@dev
// In config/services.php: 'peyk' => ['url' => env('PEYK_URL'), 'key' => env('PEYK_API_KEY')],
use Illuminate\Foundation\Http\Middleware\VerifyCsrfToken;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\RateLimiter;
use Illuminate\Support\Facades\Route;
use Peyk\Login;
use Peyk\Peyk;

$answer = function (Request $request, callable $handle) {
    $state = $request->session()->get('peykLogin', []);
    $reply = $handle(new Login(new Peyk(config('services.peyk.url'), apiKey: config('services.peyk.key'))), $state);
    $request->session()->put('peykLogin', $state);
    if ($reply->phone !== null) {
        // A new session id, which nobody can know from before. Sign the person in here: Auth::login($user).
        $request->session()->regenerate(true);
        $request->session()->put('phone', $reply->phone);
    }

    return response()->json($reply->body, $reply->status);
};

$answerPost = function (Request $request, callable $handle) use ($answer) {
    // Another site's form cannot send JSON, so the routes need no CSRF token.
    $type = strtolower(trim(strtok((string) $request->header('Content-Type'), ';')));
    abort_unless($type === 'application/json', 415);
    abort_unless(is_array(json_decode($request->getContent(), true)), 400);

    return $answer($request, $handle);
};

$answerLimited = function (Request $request, callable $handle) use ($answerPost) {
    // 30 codes an address in ten minutes. Visitors of a mobile network share addresses.
    $key = 'peyk ' . $request->ip();
    if (RateLimiter::tooManyAttempts($key, 30)) {
        $body = ['error' => 'too_many_requests', 'retry_after' => RateLimiter::availableIn($key)];
        return response()->json($body, 429);
    }
    RateLimiter::hit($key, 600);

    return $answerPost($request, $handle);
};

Route::post('/login/send', fn (Request $request) => $answerLimited($request,
    fn (Login $login, array &$state) => $login->send($state, $request->ip(), $request->input('phone')),
))->withoutMiddleware(VerifyCsrfToken::class);
Route::post('/login/next', fn (Request $request) => $answerLimited($request,
    fn (Login $login, array &$state) => $login->next($state, $request->input('channel'))))->withoutMiddleware(VerifyCsrfToken::class);
Route::post('/login/verify', fn (Request $request) => $answerPost($request,
    fn (Login $login, array &$state) => $login->verify($state, $request->input('code')),
))->withoutMiddleware(VerifyCsrfToken::class);
Route::get('/login/status', fn (Request $request) => $answer($request,
    fn (Login $login, array &$state) => $login->status($state)));
Route::get('/account', fn (Request $request) => $request->session()->has('phone')
    ? "You are signed in as {$request->session()->get('phone')}."
    : redirect('/login.html'));
