/**
 * Audit logs on HTTP servers: `strongroom/audit/http`.
 */
export type { AuditTls } from '../audit/client-tls.ts'
export { type HttpAuditFactoryOptions, httpAuditFactory } from './factory.ts'
export { type HttpAudit, type HttpAuditOptions, httpAudit } from './http.ts'
