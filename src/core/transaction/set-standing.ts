/**
 * Where a cluster stands in the history of its set, for whoever reads on one cluster what was written on another.
 */

/** `lost`: the set's history does not have it, since a primary was replaced by force. */
export type Reached = 'here' | 'late' | 'lost'

export interface SetStanding {
  /** What an answer that is made now rests on: `<cluster>.<epoch>.<index>`; undefined outside of a set. */
  now(): string | undefined
  /** Whether an answer of another cluster rests on nothing that is missing here; waits for it for a limited time. */
  reached(position: {
    readonly cluster: string
    readonly epoch: number
    readonly index: number
  }): Promise<Reached> | 'own' | 'here'
}

/** Held by what all transactions share; empty where there is no replication. */
export class Standings {
  of: SetStanding | undefined
}
