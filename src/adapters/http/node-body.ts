/**
 * The body of a request to a Node server, up to its limit. Room: adapters/http. Imported by the request listener.
 */
import type { NodeRequest } from './request-listener.ts'

/** `gone`: the caller went away before all of it was here. */
export type ReadBody = Uint8Array | 'too large' | 'gone'

/** Never rejects. What exceeds the limit is left unread: the request stays paused. */
export function readNodeBody(request: NodeRequest, limit: number): ReadBody | Promise<ReadBody> {
  if (Number(request.headers['content-length']) > limit) return 'too large'
  const chunks: Uint8Array[] = []
  let size = 0
  return new Promise((resolve) => {
    const end = (read: ReadBody) => {
      request.off('data', take).off('end', whole).off('close', gone).off('error', gone)
      // A late error of an aborted request has nobody else to listen to it.
      request.on('error', () => {})
      resolve(read)
    }
    const take = (chunk: Uint8Array) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= limit) return
      request.pause()
      end('too large')
    }
    const whole = () => end(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size))
    const gone = () => end('gone')
    request.on('data', take).on('end', whole).on('close', gone).on('error', gone)
  })
}
