/** Protocols with separate requests, which can be routed, split and permitted individually. */
export const HTTP_LIKE = ['http', 'http2', 'grpc'] as const

export const PROTOCOLS = ['tcp', ...HTTP_LIKE] as const
