/** Presents a socket whose HTTP parser failed as a new connection. */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'

/** A socket that was taken from its parser, and the received bytes that the parser did not process. */
export interface TakenSocket {
  readonly source: Socket
  readonly unread: readonly Buffer[]
  /** The {@link ListConnection} between the socket and its former parser, if the socket was taken before. */
  readonly before: ListConnection | undefined
  /** Stops keeping the taken connection paused. */
  readonly unpause: () => void
}

const LIST = Buffer.from('LIST ')
const GET = Buffer.from('GET ')

type Ended = (error?: Error | null) => void

/** Passes all bytes through in both directions, but replaces the verb LIST at the beginning by GET. */
export class ListConnection extends Duplex {
  /** A Node server that also speaks HTTP/2 reads its options from this property. */
  readonly server: unknown
  /**
   * The state of the taken socket until `begin` is called. Afterwards undefined, because the reference to earlier connections would keep
   * all requests of the socket in memory.
   */
  #waiting: Omit<TakenSocket, 'source'> | undefined
  readonly source: Socket
  readonly #onList: () => void
  /** The first bytes, until it is known whether they are LIST. */
  #head: Buffer[] | undefined = []
  #isList = false
  #released = false

  /** @param onList Called before a parser sees the first byte of a request that was a LIST. */
  constructor({ source, ...waiting }: TakenSocket, onList: () => void) {
    super()
    this.server = (source as { server?: unknown }).server
    this.source = source
    this.#waiting = waiting
    this.#onList = onList
  }

  /** Whether the first request was a LIST. Other bytes are passed on unchanged, so that the new parser refuses them, too. */
  get isList(): boolean {
    return this.#isList
  }

  /** Starts to pass bytes on: first the unread bytes, then all that follow. Call it after the server has added its listeners. */
  begin(): void {
    const { source } = this
    const { unread = [], before, unpause } = this.#waiting ?? {}
    this.#waiting = undefined
    unpause?.()
    const late = before ? buffered(before) : []
    before?.release()
    // Remove the timeouts of the former parser, which considers the connection idle.
    source.removeAllListeners('timeout').setTimeout(0)
    source.on('data', this.#take).on('end', this.#ended)
    source.on('timeout', this.#timedOut).on('error', this.#failed).on('close', this.#closed)
    for (const chunk of [...unread, ...late]) this.#take(chunk)
    if (source.readableEnded) this.#ended()
    else source.resume()
  }

  /** Releases the socket to another connection. */
  release(): void {
    this.#unlisten()
    this.#released = true
    this.destroy()
  }

  readonly #take = (chunk: Buffer): void => {
    if (!this.#head) {
      if (!this.push(chunk)) this.source.pause()
      return
    }
    this.#head.push(chunk)
    const bytes = Buffer.concat(this.#head)
    if (bytes.length >= LIST.length || !bytes.equals(LIST.subarray(0, bytes.length))) this.#decide(bytes)
  }

  #decide(bytes: Buffer): void {
    this.#head = undefined
    this.#isList = bytes.subarray(0, LIST.length).equals(LIST)
    if (this.#isList) this.#onList()
    this.push(this.#isList ? Buffer.concat([GET, bytes.subarray(LIST.length)]) : bytes)
  }

  readonly #ended = (): void => {
    if (this.#head) this.#decide(Buffer.concat(this.#head))
    this.push(null)
  }

  readonly #timedOut = (): void => {
    this.emit('timeout')
  }

  readonly #failed = (error: Error): void => {
    this.destroy(error)
  }

  readonly #closed = (): void => {
    this.destroy()
  }

  #unlisten(): void {
    const { source } = this
    source.off('data', this.#take).off('end', this.#ended)
    source.off('timeout', this.#timedOut).off('close', this.#closed)
    // Every socket needs an error listener, even one that is no longer used.
    if (!source.listeners('error').includes(ignore)) source.on('error', ignore)
    source.off('error', this.#failed)
  }

  override _read(): void {
    if (!this.#released) this.source.resume()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: Ended): void {
    this.source.write(chunk, done)
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Ended): void {
    this.source.cork()
    for (const [index, { chunk }] of chunks.entries()) {
      if (index < chunks.length - 1) this.source.write(chunk)
      else this.source.write(chunk, done)
    }
    this.source.uncork()
  }

  override _final(done: Ended): void {
    if (this.#released) done()
    else this.source.end(() => done())
  }

  override _destroy(error: Error | null, done: Ended): void {
    if (!this.#released) {
      this.#unlisten()
      this.source.destroy(error ?? undefined)
    }
    done(error)
  }

  // Methods of sockets, which servers and applications call.

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  setTimeout(milliseconds: number, onTimeout?: () => void): this {
    this.source.setTimeout(milliseconds)
    if (onTimeout) this.once('timeout', onTimeout)
    return this
  }

  setNoDelay(on?: boolean): this {
    this.source.setNoDelay(on)
    return this
  }

  setKeepAlive(on?: boolean, delay?: number): this {
    this.source.setKeepAlive(on, delay)
    return this
  }

  get remoteAddress(): string | undefined {
    return this.source.remoteAddress
  }

  get remotePort(): number | undefined {
    return this.source.remotePort
  }

  get remoteFamily(): string | undefined {
    return this.source.remoteFamily
  }

  get localAddress(): string | undefined {
    return this.source.localAddress
  }

  get localPort(): number | undefined {
    return this.source.localPort
  }

  get encrypted(): boolean {
    return (this.source as TLSSocket).encrypted === true
  }

  get authorized(): boolean {
    return (this.source as TLSSocket).authorized === true
  }

  get alpnProtocol(): string | false | null {
    return (this.source as TLSSocket).alpnProtocol ?? null
  }

  getPeerCertificate(detailed?: boolean): unknown {
    return (this.source as TLSSocket).getPeerCertificate?.(detailed as true)
  }
}

const ignore = (): void => {}

const unparsed = new WeakSet<Duplex>()

/** Whether a parser still reads from this connection. Without a parser, bytes that are read are lost. */
export const isParsed = (connection: Duplex): boolean => !unparsed.has(connection)

const PARSER_EVENTS = ['data', 'end'] as const

/**
 * Takes a socket from its parser, which gets no more bytes. Answers that are already being written are still sent.
 * @param connection A socket or a {@link ListConnection} on one.
 * @param kept The listeners that were registered before those of the parser. They are not removed.
 */
export function takeSocket(connection: Duplex, rest: Buffer, kept: ReadonlySet<unknown>): TakenSocket {
  unparsed.add(connection)
  for (const event of PARSER_EVENTS) {
    for (const listener of connection.listeners(event)) {
      if (!kept.has(listener)) connection.off(event, listener as () => void)
    }
  }
  // Node resumes reading when the answers in flight are sent. Pause again, because no parser would get the bytes that are read.
  const pause = () => connection.pause()
  const unpause = () => void connection.off('resume', pause)
  connection.on('resume', pause)
  pause()
  if (!(connection instanceof ListConnection)) return { source: connection as Socket, unread: [rest], before: undefined, unpause }
  const unread = [rest, ...buffered(connection)]
  connection.source.pause()
  return { source: connection.source, unread, before: connection, unpause }
}

/** Takes the bytes that a connection has read but not emitted. */
function buffered(connection: Duplex): Buffer[] {
  const chunks: Buffer[] = []
  for (let chunk = connection.read(); chunk !== null; chunk = connection.read()) chunks.push(chunk as Buffer)
  return chunks
}
