/** `strongroom/server`: serves a kernel or a configuration service on a socket of its own. */
export type { KernelServer, ListenOptions, ServerCertificate } from './http-server.ts'
export { type ServeOptions, serveKernel } from './serve-kernel.ts'
