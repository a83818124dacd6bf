/**
 * gRPC calls to one member of the cluster over one HTTP/2 connection. The connection is opened when it is needed, and again after a
 * failure.
 */
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2'
import { type Connection, closeConnection, openConnection, PING_INTERVAL_MS, pingConnection } from './connection.ts'
import { connectionError, type EtcdError, MemberSilent, statusError } from './failures.ts'
import { GrpcFrameReader } from './frames.ts'
import type { EtcdStorageOptions } from './options.ts'
import type { ProtoReader } from './protobuf.ts'

/** A member that requires TLS closes connections without TLS. A member that is shutting down also closes connections before it answers. */
const CLOSED_WITHOUT_ANSWER =
  'it closed the connection before it sent anything; the host of a member with TLS must begin with https'

const { NGHTTP2_CANCEL } = constants

export interface Watching {
  onMessage(message: ProtoReader): void
  /** Called once, unless `end` was called before. */
  onEnd(error: EtcdError): void
}

/** The time limits of a call, in milliseconds: for the next byte, and for the whole answer. */
export interface CallLimits {
  readonly silence: number
  readonly left: number
}

export class Member {
  /** The member's name in error messages. */
  readonly name: string
  readonly #url: URL
  readonly #tls: NonNullable<EtcdStorageOptions['tls']>
  readonly #maxMessageBytes: number
  #connection: Connection | undefined

  /** @param maxMessageBytes The maximum size of one message. A call fails as soon as a longer message begins. */
  constructor(url: URL, tls: NonNullable<EtcdStorageOptions['tls']>, maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes
    this.#url = url
    this.name = url.host
    this.#tls = tls
  }

  /**
   * Sends one request and returns its answer.
   * @param silence The call fails after this many milliseconds without a byte from the member.
   * @param left The call fails after this many milliseconds in any case.
   * @throws EtcdError
   */
  call<T>(
    path: string,
    frame: Buffer,
    token: string | undefined,
    { silence, left }: CallLimits,
    read: (answer: ProtoReader) => T,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let answer: { readonly value: T } | undefined
      const late = (): void => {
        stream.end(new MemberSilent(`it did not answer within ${Math.round(silence)} ms`))
        // A ping distinguishes a busy member from a dead one, which needs a new connection.
        stream.checkConnection()
      }
      let timer = setTimeout(late, silence)
      const deadline = setTimeout(
        () => stream.end(new MemberSilent(`its answer did not end within ${Math.round(left)} ms`)),
        left,
      )
      const stream = this.#open(path, token, {
        onData: () => {
          clearTimeout(timer)
          timer = setTimeout(late, silence)
        },
        onMessage: (message) => {
          if (answer) throw new RangeError('it answered one request twice')
          answer = { value: read(message) }
        },
        onEnd: (error) => {
          clearTimeout(timer)
          clearTimeout(deadline)
          if (error) reject(error)
          else if (answer) resolve(answer.value)
          else reject(connectionError(this.name, new Error('it sent no answer'), true))
        },
      })
      stream.send(frame)
      stream.over()
    })
  }

  /** Opens a stream of messages, which continues until `end` is called or the stream fails. */
  watch(path: string, frame: Buffer, token: string | undefined, { onMessage, onEnd }: Watching): { end(): void } {
    let ended = false
    const stream = this.#open(path, token, {
      onData: () => undefined,
      onMessage: (message) => {
        if (!ended) onMessage(message)
      },
      onEnd: (error) => {
        clearInterval(pulse)
        if (!ended) onEnd(error ?? connectionError(this.name, new Error('it ended the watch'), true))
        ended = true
      },
    })
    stream.send(frame)
    const pulse = setInterval(() => stream.checkConnection(), PING_INTERVAL_MS)
    return {
      end: () => {
        ended = true
        clearInterval(pulse)
        stream.end(new Error('the watch is over'))
      },
    }
  }

  /** @param why The message of the error for callers that wait for an answer. */
  close(why: string): void {
    if (this.#connection) closeConnection(this.#connection, new Error(why))
  }

  #connected(): Connection {
    if (this.#connection && !this.#connection.session.closed && !this.#connection.session.destroyed) return this.#connection
    this.#connection = openConnection(this.#url, this.#tls, (over) => {
      if (this.#connection === over) this.#connection = undefined
    })
    return this.#connection
  }

  #open(
    path: string,
    token: string | undefined,
    on: { onData(): void; onMessage(message: ProtoReader): void; onEnd(error: EtcdError | undefined): void },
  ) {
    const connection = this.#connected()
    const { session } = connection
    const headers = {
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      // With this header, a member without quorum reports that immediately.
      hasleader: 'true',
      ...(token === undefined ? {} : { token }),
    }
    const frames = new GrpcFrameReader(this.#maxMessageBytes)
    const stream: ClientHttp2Stream = session.request(headers)
    let status: { readonly code: number; readonly text: string } | undefined
    let failure: unknown
    let over = false
    if (connection.streams++ === 0) session.ref()
    const takeStatus = (fields: IncomingHttpHeaders): void => {
      if (fields['grpc-status'] !== undefined) {
        status = { code: Number(fields['grpc-status']), text: textOf(fields['grpc-message']) }
      }
    }
    const fail = (error: unknown): void => {
      failure ??= error
      stream.close(NGHTTP2_CANCEL)
    }
    stream.on('response', (fields) => {
      takeStatus(fields)
      const http = fields[':status']
      if (!status && http !== 200) status = { code: 12, text: `it answered HTTP ${http}` }
    })
    stream.on('trailers', takeStatus)
    stream.on('data', (chunk: Buffer) => {
      on.onData()
      // The body of an HTTP error contains no messages.
      if (status) return
      try {
        for (const message of frames.take(chunk)) on.onMessage(message)
      } catch (error) {
        fail(error)
      }
    })
    stream.on('error', (error) => {
      failure ??= error
    })
    stream.on('close', () => {
      if (over) return
      over = true
      if (--connection.streams === 0 && !session.destroyed) session.unref()
      if (status && failure === undefined) {
        on.onEnd(status.code === 0 ? undefined : statusError(this.name, status.code, status.text))
        return
      }
      // Prefer the error of the connection, which is more specific than the error of the stream.
      const lost = connection.spoken ? 'the connection was lost' : CLOSED_WITHOUT_ANSWER
      const cause = connection.failure ?? failure ?? new Error(lost)
      const handshaking = this.#url.protocol === 'https:' && !connection.connected
      on.onEnd(connectionError(this.name, cause, connection.connected, handshaking))
    })
    return {
      send: (frame: Buffer): void => void stream.write(frame),
      over: (): void => void stream.end(),
      end: fail,
      checkConnection: (): void => pingConnection(connection),
    }
  }
}

/** gRPC percent-encodes all but plain ASCII characters. */
function textOf(field: string | string[] | undefined): string {
  const text = String(field ?? '')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
