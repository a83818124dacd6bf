/** Makes the audit devices of the type `http` that API requests enable, for servers that the application chooses. */
import { invalid } from '../../core/base/errors.ts'
import { readOptions } from '../../core/base/options.ts'
import type { AuditSinkFactory } from '../../core/contract/audit-port.ts'
import { type HttpAuditOptions, httpAudit } from './http.ts'

export interface HttpAuditFactoryOptions {
  /** The servers that requests may name by their `url`. Headers and TLS settings are those of the list. */
  readonly targets: readonly HttpAuditOptions[]
}

/**
 * Returns the factory for `ports.audit.factories.http`. The option `uri` of a request must be the `url` of one of the targets, character by
 * character. A request cannot set headers.
 * @throws TypeError for invalid options.
 */
export function httpAuditFactory(options: HttpAuditFactoryOptions): AuditSinkFactory {
  const { targets } = readOptions('httpAuditFactory', options, { targets: 1 })
  if (!Array.isArray(targets) || targets.length === 0)
    throw new TypeError('httpAuditFactory: targets must be a list that is not empty')
  // Reports mistakes in the targets now.
  for (const target of targets) httpAudit(target)
  const allowed = new Map((targets as readonly HttpAuditOptions[]).map((target) => [target.url, target]))
  return ({ options: { uri = '', headers } }) => {
    if (headers !== undefined) throw invalid('options.headers: must be set by the application')
    const target = allowed.get(uri)
    if (!target) throw invalid('options.uri: must be a URL that the application allows')
    return httpAudit(target)
  }
}
