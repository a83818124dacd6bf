/**
 * What services speak.
 */

/** Their requests can be told apart, so that they are routed, split and permitted one by one. */
export const HTTP_LIKE = ['http', 'http2', 'grpc'] as const

export const PROTOCOLS = ['tcp', ...HTTP_LIKE] as const
