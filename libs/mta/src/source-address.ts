/** One of our own addresses, and the name that its PTR record leads to. */
export interface SourceAddress {
  address: string;
  heloName: string;
}
