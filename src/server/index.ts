/** `strongroom/server`: serves a kernel or a configuration service on a socket of its own. */

export { AuditTail, type AuditTailEntry } from '../ui/index.ts'
export type { KernelServer, ListenOptions, ServerCertificate } from './http-server.ts'
export type { PageOptions } from './pages.ts'
export { type ServeOptions, serveKernel } from './serve-kernel.ts'
