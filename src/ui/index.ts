/** The operator's page: its files, and the data that it shows and that the HTTP API does not have. */
export { AuditTail, type AuditTailEntry } from './audit-tail.ts'
export { type OperatedKernel, type OperatorSourcesOptions, operatorSources } from './operator-sources.ts'
export { PAGE_FILES } from './page-files.ts'
export { type UiOptions, uiHandler } from './ui-handler.ts'
export type { UiAnswer, UiSource, UiSourceName, UiSources, UiVisitor } from './ui-source.ts'
