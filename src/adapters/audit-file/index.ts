/** Audit logs in files: `strongroom/audit/file`. Room: adapters. */
export { type FileAuditFactory, type FileAuditFactoryOptions, fileAuditFactory } from './factory.ts'
export { type FileAudit, type FileAuditOptions, fileAudit } from './file.ts'
