/**
 * Audit logs on syslog servers and sockets: `strongroom/audit/syslog`.
 */
export type { AuditTls } from '../audit/client-tls.ts'
export type { SyslogFacility } from './facility.ts'
export { type SocketAuditFactoryOptions, type SocketAuditTarget, socketAuditFactory, syslogAuditFactory } from './factory.ts'
export { type SyslogAudit, type SyslogAuditOptions, syslogAudit } from './syslog.ts'
