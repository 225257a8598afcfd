// Types of the module "pintle", which `pintle build` has built in. There is nothing to install: this file is
// for editors and for tsc.

declare module "pintle" {
  // ---------------------------------------------------------------------------------------------------------
  // Contributions: developer messages that a guest renders (interface developer-messages/v1)

  /**
   * Registers a developer message. Call it while the module is loaded, unconditionally: `pintle build` runs the
   * code once, without configuration, and what is registered then is what the guest offers.
   *
   * Registering under an id that is taken replaces the earlier contribution with all that belongs to it.
   *
   * @returns a function that takes the contribution back, unless another one has replaced it.
   * @throws if the id is blank.
   */
  export function registerDeveloperMessageContribution(contribution: DeveloperMessageContribution): () => void;

  export interface DeveloperMessageContribution {
    /** Unique in the guest, 1 to 256 bytes. It appears in prompts and audits, so keep it stable. */
    readonly id: string;
    /** Sort key, low first; 0 if absent. Negative and fractional numbers are fine. */
    readonly priority?: number | null;
    /** Only for these provider ids. An empty list never matches. */
    readonly providers?: readonly string[] | null;
    /** Only while all of these tools are active. */
    readonly activeTools?: readonly string[] | null;
    /**
     * The text, or a function that makes it. Nothing, and a text of white space only, leave the message out.
     * What the function throws is reported with file and line; by default the turn goes on without the message.
     */
    readonly content: string | ((context: DeveloperMessageRenderContext) => Text | Promise<Text>);
  }

  /** A text, or nothing. */
  export type Text = string | null | undefined;

  /**
   * What the turn is about. Only the fields that the contribution lists under `needs` in pintle.toml are filled;
   * reading another one logs a warning and gives what is written here for absence.
   */
  export interface DeveloperMessageRenderContext {
    /** Id of the current provider; absent if the host does not know it. */
    readonly provider?: string;
    /** Names of the active tools. Absent: an empty list. */
    readonly activeTools: readonly string[];
    /** Absent: an empty text. */
    readonly sessionId: string;
    /** The user prompt that starts the turn, if one does. */
    readonly prompt?: string;
    /** The host's structured prompt input. Absent: an empty object. */
    readonly systemPromptOptions: SystemPromptOptions;
  }

  /**
   * The host's structured prompt input, under the host's own names. Hosts and their versions differ: anything may be
   * absent, and there may be more.
   */
  export interface SystemPromptOptions {
    /** Working directory. */
    readonly cwd?: string;
    /** Replaces the host's own prompt. */
    readonly customPrompt?: string;
    /** Goes behind the prompt. */
    readonly appendSystemPrompt?: string;
    readonly contextFiles?: readonly { readonly path: string; readonly content: string }[];
    readonly skills?: readonly Skill[];
    readonly selectedTools?: readonly string[];
    readonly [name: string]: unknown;
  }

  export interface Skill {
    readonly name: string;
    readonly description?: string;
    readonly filePath?: string;
    readonly disableModelInvocation?: boolean;
    readonly [name: string]: unknown;
  }

  // ---------------------------------------------------------------------------------------------------------
  // Adapters that get whole payloads (interface provider-payload-adapters/v1)

  /**
   * Registers an adapter that reads and replaces the system prompt in whole request payloads. It is in the manifest
   * under its `id`, or else its provider, with its api and model behind colons.
   *
   * Prefer {@link registerPayloadAdapter} where it suffices: payloads grow with the conversation.
   *
   * @returns a function that takes the adapter back, unless another one has replaced it.
   * @throws if the provider is blank.
   */
  export function registerSystemPromptPayloadAdapter(adapter: SystemPromptPayloadAdapter): () => void;

  export interface SystemPromptPayloadAdapter {
    readonly id?: string;
    /** The provider id that it stands for. */
    readonly provider: string;
    /** The APIs whose payloads it understands; absent: every API of the provider. */
    readonly api?: string | readonly string[];
    /** Only for these model ids. A function cannot be written into a manifest: `pintle build` refuses it. */
    readonly model?: string | readonly string[];
    /** Answering false leaves payloads alone. The model is not known to a guest. */
    enabled?(provider: string, api: string | undefined, model: undefined): boolean;

    /** The system prompt that is in a payload (an empty text counts), or nothing. */
    readSystemPrompt(payload: unknown): Text | Promise<Text>;
    /**
     * A payload with that prompt. The payload that is handed over is frozen: copy what changes, as in
     * `{ ...payload, instructions: systemPrompt }`. The host gets the difference, so numbers, key order and white
     * space of what is not changed stay as they were. The same object, and undefined, mean no change.
     */
    replaceSystemPrompt(payload: unknown, systemPrompt: string): unknown;
    /** A payload in which the managed developer messages are exactly these, in order. */
    replaceDeveloperMessages?(payload: unknown, messages: readonly DeveloperMessage[]): unknown;
  }

  /** One developer message of the turn. */
  export interface DeveloperMessage {
    readonly id: string;
    readonly content: string;
  }

  /** Another name of {@link DeveloperMessage}. */
  export type ProviderDeveloperMessage = DeveloperMessage;

  // ---------------------------------------------------------------------------------------------------------
  // Adapters whose payloads stay in the host (interface provider-payload-adapters/v2)

  /**
   * Registers an adapter that sees a few places of a payload and answers edits. What it does not ask for it never
   * sees, and the cost does not grow with the conversation.
   *
   * @returns a function that takes the adapter back, unless another one has replaced it.
   * @throws if the id is blank.
   */
  export function registerPayloadAdapter(adapter: PayloadAdapter): () => void;

  export interface PayloadAdapter {
    /** Unique among the guest's adapters, 1 to 256 bytes. */
    readonly id: string;
    /** The provider ids that it stands for. Absent: it is the default for its APIs. */
    readonly providers?: readonly string[];
    /** The APIs whose payloads it understands. Absent: any; then it has to name providers. */
    readonly apis?: readonly string[];
    /** Only for these model ids. */
    readonly models?: readonly string[];
    /** What it wants to see: 1 to 16 selectors. */
    readonly view: readonly Selector[];
    /** Where it may edit, at these places and below them: 1 to 16 paths. */
    readonly write: readonly Path[];
    /** Answers the edits of one payload, nothing for no change, or {@link useV1}. */
    edit(request: EditRequest): EditAnswer | UseV1 | null | undefined | Promise<EditAnswer | UseV1 | null | undefined>;
  }

  /** Steps from the top of a payload: a name is a member of an object, true is each element of a list. 1 to 8 steps. */
  export type Path = readonly (string | true)[];

  /** Names values that an adapter wants to see. */
  export interface Selector {
    readonly path: Path;
    /** All must hold, at most 8. The host evaluates them; what fails is never shown. */
    readonly where?: readonly Filter[];
    /** Of a selected object, the members wanted: at most 16. */
    readonly members?: readonly string[];
    /** The longest string that arrives whole, in bytes of UTF-8: 0 to 1,024; 1,024 if absent. */
    readonly clip?: number;
  }

  /** Looks at one member of an object on the path, or at its end. */
  export type Filter = {
    /** How many steps of the path lead to the object; 0 is the top. Absent: all. */
    readonly of?: number;
    readonly member: string;
  } & (
    | { readonly equals: string | number | boolean | null }
    | {
        /** The member is a string that begins, ends, or has something in it, like this. */
        readonly prefix?: string;
        readonly suffix?: string;
        readonly contains?: string;
      }
  );

  /** Steps from the top of a payload to one value: names of members and indices of elements, from 0. */
  export type Address = readonly (string | number)[];

  export interface EditRequest {
    /** The adapter's id. */
    readonly id: string;
    readonly provider: string;
    /** Empty if the host does not know it. */
    readonly api: string;
    /** The prompt that shall be in the payload. */
    readonly systemPrompt: string;
    /** The developer messages that shall be in it, in order. */
    readonly messages: readonly DeveloperMessage[];
    /** What the selectors found: selectors in their order, the values of one in the order of the payload. */
    readonly view: readonly ViewEntry[];
  }

  export interface ViewEntry {
    readonly at: Address;
    readonly value: ViewValue;
    /** Some string of the entry is clipped. */
    readonly clipped?: true;
  }

  /** A value as far as its selector shows it. */
  export type ViewValue = string | ClippedText | number | boolean | null | ViewList | ViewObject;

  /** A string longer than the selector's clip: its two ends, and how many bytes it has. */
  export interface ClippedText {
    readonly head: string;
    readonly tail: string;
    readonly bytes: number;
  }

  /** A list: how many elements it has. */
  export interface ViewList {
    readonly list: number;
  }

  /** An object: those of the wanted members that it has. Objects among them come without their members. */
  export interface ViewObject {
    readonly object: { readonly [member: string]: ViewValue };
  }

  /** Whether a value is a string, whole or clipped. */
  export function isText(value: ViewValue | undefined): value is string | ClippedText;
  /** Whether a value is a list. */
  export function isList(value: ViewValue | undefined): value is ViewList;
  /** Whether a value is an object. */
  export function isObject(value: ViewValue | undefined): value is ViewObject;

  export interface EditAnswer {
    /**
     * Where the payload's prompt is, and what puts `systemPrompt` there. The edits are carried out only if the value
     * at the address is the prompt that the host had built. Answer it whenever there is a prompt.
     */
    readonly prompt?: { readonly at: Address; readonly edits: readonly Edit[] };
    /** Carried out in any case: they must be right with and without those of the prompt. */
    readonly messages?: readonly Edit[];
  }

  /**
   * One change, made by {@link set}, {@link insert}, {@link remove} or {@link append}. Addresses mean the payload as it
   * was: no edit moves what another one means. The host refuses the whole answer if an edit is outside of `write`, at
   * an address that is not there, or of something that another one sets or removes; at most 1,024 edits, and 1 MiB of
   * values.
   */
  export interface Edit {
    readonly op: "set" | "insert" | "remove" | "append";
    readonly at: Address;
    readonly value?: unknown;
  }

  /** Puts a value in the place of another. A member that its object does not have is added at the end. */
  export function set(at: Address, value: unknown): Edit;
  /** Puts a value into a list, in front of the element at the address; the list's length stands for its end. */
  export function insert(at: Address, value: unknown): Edit;
  /** Takes an element out of its list, or a member out of its object. */
  export function remove(at: Address): Edit;
  /** Puts a text behind the string at the address, also behind what another edit sets there. */
  export function append(at: Address, text: string): Edit;

  /**
   * What `edit` answers, or throws, when its view does not tell it enough: the host then asks the adapter of version 1
   * that the guest registers for the same provider, APIs and models. The reason is for people.
   */
  export function useV1(reason: string): UseV1;

  export interface UseV1 extends Error {}

  // ---------------------------------------------------------------------------------------------------------
  // The host

  /**
   * The value that the host holds under a key; undefined if it holds none, or if pintle.toml does not list the key
   * under the capability `config`. Values do not change while a guest is loaded.
   */
  export function config(key: string): string | undefined;

  /**
   * A small store for the session, if pintle.toml asks for the capability `kv` and the host grants it. A guest must go
   * on without it. Keys have up to 256 bytes of UTF-8, values 16 KiB; there are up to 256 entries of 64 KiB together.
   * What a call writes is kept if the call ends well.
   */
  export const kv: {
    /** What is kept under a key; undefined if nothing is, and without the grant. */
    get(key: string): string | undefined;
    /** Keeps a text; false if there is no grant or no room: then nothing has changed. */
    set(key: string, value: string): boolean;
    /** Forgets a key; false if there was nothing, and without the grant. */
    delete(key: string): boolean;
  };

  /** Writes a record to the host's log. `console` does the same, with its own formatting. */
  export function log(level: "debug" | "info" | "warn" | "error", text: string): void;
}

// What a guest has beside the language itself. Where TypeScript's own declarations are in use, these add nothing.

interface Console {
  assert(condition?: boolean, ...data: any[]): void;
  debug(...data: any[]): void;
  error(...data: any[]): void;
  info(...data: any[]): void;
  log(...data: any[]): void;
  trace(...data: any[]): void;
  warn(...data: any[]): void;
}

/** Writes to the guest's log: debug and trace, log and info, warn, error. */
declare var console: Console;

declare module "*.txt" {
  const text: string;
  export default text;
}

declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.html" {
  const text: string;
  export default text;
}
