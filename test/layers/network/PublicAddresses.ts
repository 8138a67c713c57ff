/** Addresses of the public internet. */
export const PUBLIC = "93.184.216.34"
export const PUBLIC_V6 = "2606:2800:21f:cb07:6820:80da:af6b:8b2c"
