/// Says what the guest offers, under the ids of `pintle.toml`, and exports the operations for it and no
/// others. It stands once in a guest, at the top of its crate.
///
/// | group | a handler is | interface |
/// | --- | --- | --- |
/// | `contributions` | a function from [`Context`](crate::Context) to a text | `developer-messages/v1` |
/// | `adapters` | a function from [`edit::Request`](crate::edit::Request) to edits | `provider-payload-adapters/v2` |
/// | `adapters_v1` | a [`payload::Adapter`](crate::payload::Adapter) | `provider-payload-adapters/v1` |
/// | `developer_messages_v1` | a [`payload::DeveloperMessages`](crate::payload::DeveloperMessages) | the optional operation of the same |
///
/// ```
/// use pintle::{Context, Result};
///
/// pintle::guest! {
///     contributions: {
///         "hello" => hello,
///         "brief" => |_| Ok(Some("Be brief.".into())),
///     },
/// }
///
/// fn hello(context: &Context) -> Result<Option<String>> {
///     Ok(context.prompt.map(|_| "Answer in the language of the question.".into()))
/// }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! guest {
    ($($group:ident: { $($id:expr => $handler:expr),* $(,)? }),+ $(,)?) => {
        $( $crate::__group!($group { $($id => $handler),* }); )+
        const _: () = {
            #[cfg_attr(target_arch = "wasm32", export_name = "pintle_abi_1")]
            #[allow(dead_code)]
            extern "C" fn transport() {}
            #[cfg_attr(target_arch = "wasm32", export_name = "_initialize")]
            #[allow(dead_code)]
            extern "C" fn start() {
                $crate::__private::start()
            }
            // Nothing random outlives a call, so there is nothing to draw anew. The host need not start
            // an instance for each call because of it.
            #[cfg_attr(target_arch = "wasm32", export_name = "pintle_reseed")]
            #[allow(dead_code)]
            extern "C" fn reseed() {}
            #[cfg_attr(target_arch = "wasm32", export_name = "pintle_alloc")]
            #[allow(dead_code)]
            extern "C" fn allocate(size: u32) -> u32 {
                $crate::__private::allocate(size)
            }
        };
    };
}

/// The operations of one group of `guest!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __group {
    (contributions $offers:tt) => {
        $crate::__operation!(
            "developer_messages_v1_render",
            render,
            $crate::__private::Render,
            $offers
        );
    };
    (adapters $offers:tt) => {
        $crate::__operation!(
            "provider_payload_adapters_v2_edit",
            edits,
            $crate::__private::Edits,
            $offers
        );
    };
    (adapters_v1 $offers:tt) => {
        $crate::__operation!(
            "provider_payload_adapters_v1_read_system_prompt",
            read,
            dyn $crate::payload::Adapter,
            $offers
        );
        $crate::__operation!(
            "provider_payload_adapters_v1_replace_system_prompt",
            replace_system_prompt,
            dyn $crate::payload::Adapter,
            $offers
        );
    };
    (developer_messages_v1 $offers:tt) => {
        $crate::__operation!(
            "provider_payload_adapters_v1_replace_developer_messages",
            replace_developer_messages,
            dyn $crate::payload::DeveloperMessages,
            $offers
        );
    };
    ($other:ident $offers:tt) => {
        compile_error!(concat!(
            "`",
            stringify!($other),
            "` is no group of a guest; there are contributions, adapters, \
            adapters_v1 and developer_messages_v1"
        ));
    };
}

/// One exported operation.
#[doc(hidden)]
#[macro_export]
macro_rules! __operation {
    ($name:literal, $call:ident, $handler:ty, { $($id:expr => $offer:expr),* }) => {
        const _: () = {
            #[cfg_attr(target_arch = "wasm32", export_name = $name)]
            #[allow(dead_code)]
            extern "C" fn operation(_at: u32, length: u32) -> u64 {
                let offers: $crate::__private::Offers<'_, $handler> = &[$(($id, &$offer)),*];
                $crate::__private::serve(length, |request| $crate::__private::$call(request, offers))
            }
        };
    };
}

/// Logs at the level debug, with a format as of `format!`.
#[macro_export]
macro_rules! debug {
    ($($text:tt)+) => { $crate::log($crate::Level::Debug, &::std::format!($($text)+)) };
}

/// Logs at the level info, with a format as of `format!`.
#[macro_export]
macro_rules! info {
    ($($text:tt)+) => { $crate::log($crate::Level::Info, &::std::format!($($text)+)) };
}

/// Logs at the level warn, with a format as of `format!`.
#[macro_export]
macro_rules! warn {
    ($($text:tt)+) => { $crate::log($crate::Level::Warn, &::std::format!($($text)+)) };
}

/// Logs at the level error, with a format as of `format!`.
#[macro_export]
macro_rules! error {
    ($($text:tt)+) => { $crate::log($crate::Level::Error, &::std::format!($($text)+)) };
}
