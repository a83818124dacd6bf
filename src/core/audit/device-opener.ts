/** Creates and opens the sinks of audit devices. */
import type { Deadline } from '../base/deadline.ts'
import { KernelError } from '../base/errors.ts'
import { base62 } from '../base/identifiers.ts'
import type { AuditFormat, AuditPort, AuditSink, AuditSinkOptions, AuditSinkRequest } from '../contract/audit-port.ts'
import type { Host } from '../transaction/host.ts'
import { closeSink, Device } from './device.ts'
import { DEVICE_SECRET, type DeviceRecord } from './records.ts'
import { sinkSecret, storedSecret } from './secrets.ts'

export interface DeviceOpenerParts {
  readonly host: Host
  readonly port: AuditPort
  readonly deadline: Deadline
}

export interface OpenedDevice {
  readonly device: Device
  /** True if the sink could not be opened. */
  readonly isLost?: true
}

export class DeviceOpener {
  readonly #parts: DeviceOpenerParts

  constructor(parts: DeviceOpenerParts) {
    this.#parts = parts
  }

  /** Checks whether a sink of this type can be created and opened. @throws KernelError 400 */
  async probe(type: string, request: AuditSinkRequest): Promise<void> {
    try {
      const sink = this.#make(type, request)
      await this.#open(sink, true)
      await closeSink(sink, this.#parts.deadline)
    } catch (cause) {
      throw cause instanceof KernelError
        ? cause
        : new KernelError('ERR_INVALID_REQUEST', 'options: the sink cannot be opened', { cause })
    }
  }

  /** Whether the application provides a factory for sinks of this type. */
  makes(type: string): boolean {
    return Object.hasOwn(this.#parts.port.factories ?? {}, type)
  }

  /** @throws KernelError ERR_AUDIT if the sink cannot be opened. */
  async given(name: string, options: AuditSinkOptions & { readonly sink: AuditSink }): Promise<OpenedDevice> {
    try {
      await this.#open(options.sink, false)
    } catch (cause) {
      throw cannotOpen(`audit sink ${name}`, cause)
    }
    const secret = await sinkSecret(this.#parts.host, name)
    return { device: this.#device(name, name, secret, options, options.required === true, false) }
  }

  /**
   * Opens a device that a request enabled. While the kernel is being opened, a sink that cannot be opened is an error. Later, the device is
   * treated as one that fails to store any entry.
   */
  async stored(name: string, { id, type, options }: DeviceRecord, first: boolean): Promise<OpenedDevice> {
    const request = { path: `${name}/`, options }
    let sink: AuditSink
    let isLost = false
    try {
      sink = this.#make(type, request)
      await this.#open(sink, true)
    } catch (cause) {
      const error = cannotOpen(`audit device ${name}/`, cause)
      if (first) throw error
      sink = lost(error)
      isLost = true
    }
    const secret = await storedSecret(this.#parts.host, DEVICE_SECRET, id)
    if (!secret) throw new KernelError('ERR_INTERNAL', `the store contains no secret for the audit device ${name}/`)
    const device = this.#device(name, id, secret, { sink, ...formatOf(options) }, false, true)
    return isLost ? { device, isLost } : { device }
  }

  #device(
    name: string,
    owner: string,
    secret: Uint8Array,
    options: AuditFormat & { readonly sink: AuditSink },
    required: boolean,
    own: boolean,
  ): Device {
    const { deadline, host } = this.#parts
    const { clock, env } = host
    const chain = base62(env.entropy, 16)
    const device = new Device({ ...options, name, owner, required, own, chain, secret, crypto: env.crypto, clock, deadline })
    secret.fill(0)
    return device
  }

  #make(type: string, request: AuditSinkRequest): AuditSink {
    const factories = this.#parts.port.factories ?? {}
    const factory = Object.hasOwn(factories, type) ? factories[type] : undefined
    if (!factory) throw new NoFactory(type)
    const made: AuditSink | undefined = factory(request)
    if (typeof made?.write === 'function') return made
    // The factory returned something else, perhaps a promise. If the promise rejects, ignore the rejection.
    Promise.resolve(made as unknown).catch(() => {})
    throw new TypeError('the factory must return a sink with the method write')
  }

  /** @param own Whether a factory made the sink. If so, and the sink opens after the timeout, the kernel closes it. */
  #open(sink: AuditSink, own: boolean): Promise<void> {
    const { deadline } = this.#parts
    const late = () => own && closeSink(sink, deadline)
    return deadline.call<void>({ name: 'an audit sink', call: (signal) => sink.open?.(signal), late })
  }
}

/** Thrown if the application provides no factory for the type of a device. */
class NoFactory extends TypeError {
  constructor(type: string) {
    super(`ports.audit.factories: contains no factory for ${type}`)
  }
}

/**
 * The message includes the reason only if this package wrote it. Other messages may contain secrets, so those errors are only the `cause`.
 */
const cannotOpen = (what: string, cause: unknown): KernelError => {
  const reason = cause instanceof KernelError || cause instanceof NoFactory ? cause.message : 'see the cause of this error'
  return new KernelError('ERR_AUDIT', `${what}: cannot be opened: ${reason}`, { cause, details: { committed: false } })
}

const lost = (error: unknown): AuditSink => ({
  write: () => {
    throw error
  },
})

/** The options of a stored device are strings. */
const formatOf = (options: Readonly<Record<string, string>>): AuditFormat => ({
  log_raw: options['log_raw'] === 'true',
  hmac_accessor: options['hmac_accessor'] !== 'false',
  elide_list_responses: options['elide_list_responses'] === 'true',
})
