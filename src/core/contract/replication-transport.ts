/**
 * The port by which clusters of a replication set reach each other.
 */

/** No message is longer, in either direction. A transport refuses a longer one before it takes memory for it. */
export const MAX_REPLICATION_MESSAGE_BYTES = 8_388_608

/**
 * Answers a message. It never rejects for a message that a stranger made up: that one is answered, too.
 * @param fromMember Called before the answer where the message came from a member of the set. A transport that has to choose between
 * connections keeps those of members.
 */
export type MessageHandler = (message: Uint8Array, fromMember?: () => void) => Promise<Uint8Array>

/** A place where messages arrive. */
export interface TransportListener {
  /** Where it is reached: the address that was asked for, or the one that the transport chose. */
  readonly address: string
  /** Idempotent. Takes no further messages; answers under way may be lost. */
  close(): Promise<void>
}

/**
 * Carries messages between clusters: one message, one answer. It need not be trusted, because messages are encrypted and authenticated
 * from end to end. It may lose, repeat, delay and reorder them; a repeated message is answered twice. All methods may run concurrently.
 */
export interface ReplicationTransport {
  /**
   * Begins to answer messages sent to `address`. Of several that listen at one address any one may get a message.
   * @param address As the transport understands it; empty where the transport chooses.
   * @param handler Its argument belongs to the handler, and its result to the transport.
   * @throws Where nobody can listen there.
   */
  listen(address: string, handler: MessageHandler): Promise<TransportListener>
  /**
   * Sends a message and resolves with the answer, which belongs to the caller. Rejects when nobody listens there, the connection is
   * lost, the message or the answer has more than {@link MAX_REPLICATION_MESSAGE_BYTES}, or `signal` is aborted: at once then, and without anything
   * left behind.
   * @param bytes Lent until the promise settles.
   */
  request(address: string, bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
}
