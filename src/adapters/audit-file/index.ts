/**
 * Audit logs in files: `strongroom/audit/file`.
 */
export { type FileAuditFactory, type FileAuditFactoryOptions, fileAuditFactory } from './factory.ts'
export { type FileAudit, type FileAuditOptions, fileAudit } from './file.ts'
