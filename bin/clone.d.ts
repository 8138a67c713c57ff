/** Null: there is no such file. */
export declare const stampOf: (file: string) => string | null
