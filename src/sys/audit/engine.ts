import { AUDIT, Audit as AuditDevices } from '../../core/audit/audit.ts'
import { checkAudit } from '../../core/audit/sink.ts'
import { settle } from '../../core/base/maybe-promise.ts'
import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { disableDevice } from './disable-device.ts'
import { enableDevice } from './enable-device.ts'
import type { Audit } from './generated/api.ts'
import { hash } from './hash.ts'
import { listDevices } from './list-devices.ts'
import { deleteRequestHeader, listRequestHeaders, readRequestHeader, writeRequestHeader } from './request-headers.ts'

export const auditOperations = {
  enableDevice,
  listDevices,
  disableDevice,
  hash,
  writeRequestHeader,
  readRequestHeader,
  deleteRequestHeader,
  listRequestHeaders,
}

export type { Audit }

/** The facades of kernels with an audit log. */
export interface AuditFacades {
  /** Audit devices. */
  readonly audit: Audit
}

const PART = engineValue<AuditFacades>({
  part: 'audit',
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: auditOperations,
  due: {},
  portChecks: { audit: checkAudit },
  attach: (internals: KernelInternals) => {
    const devices = devicesOf(internals)
    internals.audit.install(devices)
    AUDIT.install(internals.host.env, devices)
  },
  facades: { audit: { path: 'sys/', operations: auditOperations } },
})

function devicesOf({ host, deadline, authority, core, call, options }: KernelInternals): AuditDevices {
  return new AuditDevices({
    host,
    port: options.ports?.audit ?? {},
    deadline,
    // The answer of a request can contain a new token. If the token was already revoked or used up, its caller is not found, and the audit
    // entry of the answer names no caller.
    identify: (text) =>
      settle(
        () => authority.cachedCaller(text) ?? core.read((tx) => authority.find(tx, text), call),
        (caller) => caller,
        () => undefined,
      ),
    failed: (sink) => host.events.publishKernelEvent('audit.failed', { sink }),
  })
}

/** The audit log: the devices at `sys/audit`, and the facade `kernel.audit`. */
export const audit = (): EngineValue<AuditFacades> => PART
