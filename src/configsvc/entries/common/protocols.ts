/** The protocols that consist of separate requests, which can be routed, split and authorized individually. */
export const HTTP_LIKE = ['http', 'http2', 'grpc'] as const

export const PROTOCOLS = ['tcp', ...HTTP_LIKE] as const
