import { fail } from "./call";

/**
 * Functions by the ids under which they are registered. It holds them as numbers, so that it serves all types of
 * functions: a Map for each type would be compiled for each.
 */
export class Registry {
  private readonly ids: string[] = [];
  private readonly functions: usize[] = [];

  /** What is said to somebody who asks for an id that is not there. */
  constructor(private readonly what: string) {}

  /** Registers a function, in place of one that had the id. */
  set<F>(id: string, f: F): void {
    const i = this.ids.indexOf(id);
    if (i >= 0) {
      this.functions[i] = changetype<usize>(f);
    } else {
      this.ids.push(id);
      this.functions.push(changetype<usize>(f));
    }
  }

  has(id: string): bool {
    if (this.ids.includes(id)) return true;
    // For the author who mistyped it.
    const known = this.ids.length > 0 ? this.ids.slice(0).sort().join(", ") : "nothing";
    fail("no " + this.what + " " + id + "; there are handlers for: " + known, "");
    return false;
  }

  /** A function that is there. */
  get<F>(id: string): F { return changetype<F>(this.functions[this.ids.indexOf(id)]); }
}
