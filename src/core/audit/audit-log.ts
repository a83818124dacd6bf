/** The audit log as the kernel uses it. The implementation belongs to the part `audit()`, which a kernel can do without. */
import { KernelError } from '../base/errors.ts'
import { coreKeyPrefix } from '../transaction/core-key.ts'
import type { Host } from '../transaction/host.ts'
import type { AuditedRequest } from './audit-basis.ts'
import type { Device } from './device.ts'
import type { RequestRecord } from './record-request.ts'
import { DEVICE } from './records.ts'
import type { Trail } from './trail.ts'

const DEVICES = /* @__PURE__ */ coreKeyPrefix(DEVICE)

export interface AuditWriter {
  /** Writes entries to the open devices. Undefined if nothing is audited. */
  readonly trail: Trail | undefined
  /** The names of devices whose sinks could not be opened. */
  readonly unopened: readonly string[]
  /** The open device of this name. */
  device(name: string): Device | undefined
  /** Creates the audit record of a request. */
  begin(trail: Trail, request: AuditedRequest, path: string): RequestRecord
  /**
   * Updates the devices if necessary. Returns undefined if they are up to date, which is the usual case. Otherwise returns a promise that
   * resolves after the update.
   */
  fresh(): Promise<void> | undefined
  /** Opens all devices. Called before the first request. If it throws, no request may run. */
  open(): Promise<void>
  /** Called when the kernel is sealed. Running requests may still write entries. The last of them wipes the keys. */
  retire(): Promise<void>
  /** Anchors every chain at its last entry. */
  anchor(): Promise<void>
}

/** The audit log of a kernel. Until a writer is installed, it writes nothing and refuses stores that have audit devices. */
export class AuditLog {
  readonly #host: Host
  #writer: AuditWriter | undefined

  constructor(host: Host) {
    this.#host = host
  }

  /** Called at most once, when the kernel is assembled. */
  install(writer: AuditWriter): void {
    this.#writer = writer
  }

  get trail(): Trail | undefined {
    return this.#writer?.trail
  }

  get unopened(): readonly string[] {
    return this.#writer?.unopened ?? []
  }

  device(name: string): Device | undefined {
    return this.#writer?.device(name)
  }

  /** @param trail The current {@link trail}. */
  begin(trail: Trail, request: AuditedRequest, path: string): RequestRecord {
    return (this.#writer as AuditWriter).begin(trail, request, path)
  }

  fresh(): Promise<void> | undefined {
    return this.#writer?.fresh()
  }

  open(): Promise<void> {
    this.#writer ??= new NoAudit(this.#host)
    return this.#writer.open()
  }

  async retire(): Promise<void> {
    await this.#writer?.retire()
  }

  async anchor(): Promise<void> {
    await this.#writer?.anchor()
  }
}

const NEEDS_PART = 'the store has audit devices, which need the part audit() in the option sys of createKernel'

/** The audit log of a kernel without the part `audit()`. If the store has audit devices, no request may run, because it would not be recorded. */
class NoAudit implements AuditWriter {
  readonly trail = undefined
  readonly unopened = []
  readonly #host: Host
  #changed = false

  constructor(host: Host) {
    this.#host = host
    host.cache.onChange(({ keys }) => {
      if (!keys || keys.some((key) => key.startsWith(DEVICES))) this.#changed = true
    })
  }

  device(): undefined {
    return undefined
  }

  begin(): never {
    throw new TypeError('the kernel has no audit log')
  }

  /** @throws TypeError if the store has audit devices. */
  async open(): Promise<void> {
    this.#changed = false
    if (await this.#hasDevices()) throw new TypeError(NEEDS_PART)
  }

  /** The promise is rejected with ERR_AUDIT if another process has enabled an audit device. */
  fresh(): Promise<void> | undefined {
    return this.#changed ? this.#checkAgain() : undefined
  }

  async #checkAgain(): Promise<void> {
    this.#changed = false
    try {
      if (!(await this.#hasDevices())) return
    } catch (error) {
      this.#changed = true
      throw error
    }
    this.#changed = true
    throw new KernelError('ERR_AUDIT', `the request had no effect: ${NEEDS_PART}`)
  }

  /** Always false on a DR secondary: it does not open the primary's devices, so it does not need the part `audit()`. */
  async #hasDevices(): Promise<boolean> {
    const { store } = this.#host
    return !store.commits.isMirror && (await store.list(DEVICES, { limit: 1 })).length > 0
  }

  async retire(): Promise<void> {
    this.#changed = false
  }

  async anchor(): Promise<void> {}
}
