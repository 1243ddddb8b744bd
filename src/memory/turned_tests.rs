//! Sentences that say of one thing what their source says of another, at another time, or not at all.

use super::measure::*;

/// Asserts what supports sentences, each behind its source.
fn all(support: &[Support], pairs: &[(&str, &str)]) {
    let found = pairs.iter().map(|(source, told)| (align(told, &[source]).last().unwrap().support, told, source));
    let wrong: Vec<_> = found.filter(|(found, ..)| !support.contains(found)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

const UNSUPPORTED: &[Support] = &[Support::None];
const NOT_SAID: &[Support] = &[Support::None, Support::Open];
const SUPPORTED: &[Support] = &[Support::Stands];

#[test]
fn who_does_what_cannot_be_exchanged() {
    let source = "Ops reviews the frontend, Finance the backend.";
    all(
        UNSUPPORTED,
        &[
            (source, "Finance reviews the frontend, Ops the backend."),
            (source, "The frontend is reviewed by Finance, the backend by Ops."),
            (source, "Ops reviews the backend."),
            ("The API returns JSON, the CLI prints text.", "The API returns text, the CLI prints JSON."),
            (
                "Reads go to the replica; writes go to the primary.",
                "Writes go to the replica; reads go to the primary.",
            ),
        ],
    );
    all(
        SUPPORTED,
        &[
            (source, "Ops reviews the frontend and Finance the backend."),
            (source, "The frontend is reviewed by Ops, the backend by Finance."),
            (source, "Finance reviews the backend."),
            ("The API returns JSON, the CLI prints text.", "The CLI prints text and the API returns JSON."),
            ("Use tabs in Go files and spaces in Python files.", "In Go files use tabs, in Python files spaces."),
        ],
    );
    // What is told in other words exchanges nothing.
    all(
        SUPPORTED,
        &[(
            "The user is suggesting a fix: instead of grouping all temporary checkpoints under a single group, group them \
             by session ID.",
            "User pointed out we DO show individual checkpoints and suggested grouping by session ID instead.",
        )],
    );
}

#[test]
fn three_cannot_pass_on_what_they_do() {
    let (three, dealt) = (
        "Ops reviews the frontend, Finance the backend, Legal the docs.",
        "Ops, Finance and Legal own the parser, the lexer and the docs respectively.",
    );
    all(
        UNSUPPORTED,
        &[
            (three, "Ops reviews the backend, Finance the docs, Legal the frontend."),
            (three, "Finance reviews the frontend, Legal the backend, Ops the docs."),
            (dealt, "Ops, Finance and Legal own the lexer, the docs and the parser respectively."),
        ],
    );
    all(
        SUPPORTED,
        &[
            (three, "Finance reviews the backend, Legal the docs, Ops the frontend."),
            (three, "The frontend is reviewed by Ops, the backend by Finance, the docs by Legal."),
            (dealt, "Legal, Ops and Finance own the docs, the parser and the lexer respectively."),
            (dealt, "The parser, the lexer and the docs are owned by Ops, Finance and Legal respectively."),
            ("Ops and Finance own the parser and the lexer respectively.", "Ops owns the parser, Finance the lexer."),
        ],
    );
}

#[test]
fn another_order_of_one_clause_says_the_same() {
    all(
        SUPPORTED,
        &[
            ("The client calls the server.", "The server is called by the client."),
            ("Yesterday the tests passed on Linux.", "On Linux the tests passed yesterday."),
            ("Currently the release runs on Friday.", "On Friday the release runs currently."),
            ("Today the migration finished without errors.", "Without errors the migration finished today."),
            ("Locally the suite passed with Node 20.", "With Node 20 the suite passed locally."),
            ("On Windows the installer works with Python.", "With Python the installer works on Windows."),
            ("Updated the tests today on main.", "On main updated the tests today."),
            ("The cache conflicts with the index.", "The index conflicts with the cache."),
            ("Ops pairs with Finance on the parser.", "Finance pairs with Ops on the parser."),
            ("The frontend shares types with the backend.", "The backend shares types with the frontend."),
            ("The parser integrates with the lexer.", "The lexer integrates with the parser."),
            ("Foo is linked with bar.", "Bar is linked with foo."),
            ("Logs are correlated with traces.", "Traces are correlated with logs."),
            ("The plugin shipped together with the theme.", "The theme shipped together with the plugin."),
            ("The groom married the bride.", "The bride married the groom."),
            ("The docs contradict the code.", "The code contradicts the docs."),
            ("Frontend tests plus backend were fixed.", "Backend plus frontend tests were fixed."),
            ("修复了客户端和服务端的错误。", "修复了服务端和客户端的错误。"),
            ("删除旧文件并创建新文件。", "创建新文件并删除旧文件。"),
            ("添加单元测试和集成测试。", "添加集成测试和单元测试。"),
            ("修改了配置页和登录页。", "修改了登录页和配置页。"),
            ("入力値と出力値を検証する。", "出力値と入力値を検証する。"),
            ("ユーザー名とサーバー名を設定する。", "サーバー名とユーザー名を設定する。"),
        ],
    );
}

#[test]
fn a_list_and_what_holds_both_ways_have_no_order() {
    all(
        SUPPORTED,
        &[
            ("Fixed type and lint errors.", "Fixed lint and type errors."),
            ("Fixed the type errors and the lint errors in parser.rs.", "Fixed lint and type errors in parser.rs."),
            ("Fixed the type and lint errors in 3 files.", "Fixed lint and type errors in 3 files."),
            ("The ports are 8080 and 9090.", "The ports are 9090 and 8080."),
            ("Open the ports 8080, 9090 and 7070.", "Open the ports 7070, 8080 and 9090."),
            ("Tests 12, 14, 19 fail.", "Tests 19, 12 and 14 fail."),
            ("Deployed svc_3 and svc_4.", "Deployed svc_4 and svc_3."),
            ("The config_2 differs from config_3.", "config_3 differs from config_2."),
            (
                "The staging schema differs from the production schema.",
                "The production schema differs from the staging schema.",
            ),
            ("The hash a1b2 is different from c3d4.", "The hash c3d4 is different from a1b2."),
        ],
    );
    all(
        UNSUPPORTED,
        &[
            ("Ops calls Finance and Legal Sales.", "Ops calls Legal and Finance Sales."),
            ("Use tabs in Go files and spaces in Python files.", "Use spaces in Go files and tabs in Python files."),
            ("Dev and prod use 8080 and 9090.", "Dev and prod use 9090 and 8080."),
            ("host_0 and host_1 listen on 8000 and 8001.", "host_0 and host_1 listen on 8001 and 8000."),
            ("The point is at (3, 4).", "The point is at (4, 3)."),
            ("The limit went from 10 to 20.", "The limit went from 20 to 10."),
            ("Port 8080 replaced port 9090.", "Port 9090 replaced port 8080."),
            ("The staging schema was copied from production.", "The production schema was copied from staging."),
        ],
    );
}

#[test]
fn a_number_that_names_a_kind_with_a_word_excludes_others() {
    all(
        UNSUPPORTED,
        &[
            ("The editor opens a three-pane view of the log.", "The editor opens a two-pane view of the log."),
            ("Use a one-line patch for the lexer.", "Use a two-line patch for the lexer."),
            ("The store needs a 3-node quorum for writes.", "The store needs a five-node quorum for writes."),
            ("It is in the top-ten list of the shop.", "It is in the top-five list of the shop."),
        ],
    );
    all(
        SUPPORTED,
        &[
            ("The editor opens a three-pane view of the log.", "A three-pane view of the log is opened by the editor."),
            ("The two-pane view is replaced by a three-pane view.", "A three-pane view replaces the two-pane view."),
        ],
    );
}

#[test]
fn numbers_of_unlike_things_have_no_order() {
    all(
        SUPPORTED,
        &[
            ("Three leaks were closed in version 5.2.", "Version 5.2 closed three leaks."),
            ("A 20-minute lease was added in version 5.2.", "Version 5.2 added a 20-minute lease."),
            ("4 checks failed in 2 crates.", "In 2 crates 4 checks failed."),
            ("A zero-day was closed in version 5.2.", "Version 5.2 closed a zero-day."),
        ],
    );
    all(
        NOT_SAID,
        &[
            ("4 checks failed in 2 crates.", "2 checks failed in 4 crates."),
            ("3 workers replaced 5 servers.", "5 servers replaced 3 workers."),
            ("3 boxes are in 5 crates.", "5 crates are in 3 boxes."),
            ("Step 4 waits for table 2.", "Table 2 waits for step 4."),
            ("The lease went from 20 minutes to 2 hours.", "The lease went from 2 hours to 20 minutes."),
            ("It sends 900 rows per page.", "It sends 900 pages per row."),
        ],
    );
}

#[test]
fn what_chinese_denies_ends_where_something_was_done_and_what_failed_was_not_done() {
    all(
        SUPPORTED,
        &[
            ("无法打开文件 config.yaml。", "文件 config.yaml 打开失败。"),
            ("系统无法打开数据库。", "打开数据库失败。"),
            ("未启用缓存，日志已关闭。", "未启用缓存并关闭了日志。"),
            ("没有启用缓存，并且关闭了日志。", "未启用缓存并关闭了日志。"),
            ("缓存未启用，日志关闭了。", "未启用缓存并关闭了日志。"),
        ],
    );
    all(
        UNSUPPORTED,
        &[
            ("启用了缓存并关闭了日志。", "未启用缓存并关闭了日志。"),
            ("未启用缓存并开启了日志。", "未启用缓存并关闭了日志。"),
            ("打开文件成功。", "打开文件失败。"),
            ("已启用缓存。", "未启用缓存。"),
        ],
    );
}

#[test]
fn what_was_before_is_not_what_is_after() {
    let (colon, told) =
        ("p95 latency: before 120 ms, after 80 ms.", "p95 latency was 120 ms before the change and 80 ms after it.");
    all(
        UNSUPPORTED,
        &[
            (colon, "p95 latency was 80 ms before and 120 ms after."),
            (told, "p95 latency was 80 ms before the change and 120 ms after it."),
            (told, "After the change p95 latency was 120 ms, before it 80 ms."),
            ("Before: 120 ms. After: 80 ms.", "Before 80 ms, after 120 ms."),
            ("Old: 10, new: 20.", "Old: 20, new: 10."),
            ("Restart node 3 before 5 pm.", "Restart node 3 after 5 pm."),
        ],
    );
    all(
        SUPPORTED,
        &[
            (colon, "p95 latency was 120 ms before and 80 ms after."),
            (told, "After the change p95 latency was 80 ms, before it 120 ms."),
            ("Old: 10, new: 20.", "New: 20, old: 10."),
            ("Deploy svc_3 before svc_4.", "Deploy svc_4 after svc_3."),
        ],
    );
}

#[test]
fn chinese_and_japanese_deny_too() {
    all(
        UNSUPPORTED,
        &[
            ("测试没有通过。", "测试通过了。"),
            ("所有测试都没有通过，需要修复解析器。", "所有测试都通过了。"),
            ("所有测试都通过了。", "所有测试没有通过。"),
            ("缓存未启用。", "缓存启用。"),
            ("禁止删除备份表。", "删除备份表。"),
            ("テストは通過しませんでした。", "テストは通過しました。"),
            ("端口不是9090，而是8080。", "端口是9090。"),
            ("登录错误未修复。", "登录错误已修复。"),
            ("没有通过的测试被删除了。", "测试通过了。"),
            ("没有修复旧的错误。", "修复了旧的错误。"),
            ("新版本不支持旧的格式。", "新版本支持旧的格式。"),
            ("没有修改旧的解析器。", "修改了旧的解析器。"),
            ("テストを実行せずにデプロイした。", "テストを実行した。"),
            // Opposites, and what is denied within a word.
            ("缓存已禁用。", "缓存已启用。"),
            ("管理员允许远程登录。", "管理员拒绝远程登录。"),
            ("今天的部署失败了。", "今天的部署成功了。"),
            ("内存使用减少了。", "内存使用增加了。"),
            ("キャッシュは無効です。", "キャッシュは有効です。"),
            ("デプロイに失敗した。", "デプロイに成功した。"),
            ("服务未就绪。", "服务就绪。"),
            ("数据库不可用。", "数据库可用。"),
            ("备份文件不存在。", "备份文件存在。"),
            ("该接口非公开。", "该接口公开。"),
            ("端口启用。", "端口禁用。"),
            ("端口没有被禁用。", "端口禁用。"),
            ("部署没有成功。", "部署成功了。"),
            ("部署没有失败，而是成功了。", "部署失败了。"),
            ("ポートは公開されていない。", "ポートは公開されている。"),
        ],
    );
    all(
        SUPPORTED,
        &[
            ("缓存未禁用。", "缓存已启用。"),
            ("缓存已禁用。", "缓存未启用。"),
            ("先禁用缓存，再启用日志。", "启用日志。"),
            ("服务已就绪。", "服务就绪。"),
            ("该接口非常稳定。", "该接口稳定。"),
            // "Not that, but this": the denial is of that alone.
            ("部署没有失败，而是成功了。", "部署成功了。"),
            ("测试没有失败，全部成功。", "测试全部成功。"),
            ("端口不是禁用，而是启用。", "端口启用。"),
            ("不是关闭而是打开。", "打开了。"),
            ("没有启用缓存但启用了日志。", "启用了日志。"),
            // A denial of something else says nothing of it.
            ("同期処理は使わない。", "非同期処理を使う。"),
            ("キャッシュは無効ではない。", "キャッシュは有効です。"),
            ("非公开接口需要令牌。", "私有接口需要令牌。"),
            ("编译成功，没有警告。", "编译成功。"),
            ("端口不是9090，而是8080。", "端口是8080。"),
            ("修改了auth.rs，没有修改main.rs。", "修改了auth.rs。"),
            ("設定ファイルは変更していない。", "設定ファイルは変更していない。"),
            // What denies a word of its own, or tells which thing is meant, denies nothing of the rest.
            ("不要なコードを削除した。", "コードを削除した。"),
            ("未定義の変数を修正した。", "変数を修正した。"),
            ("無効なテストを修正した。", "テストを修正した。"),
            ("テストを実行せずにデプロイした。", "デプロイした。"),
            ("修复了无法登录的错误。", "修复了登录错误。"),
            ("修复了测试不通过的问题。", "修复了测试问题。"),
            ("修复了测试不通过的问题。", "测试现在通过。"),
            ("删除了未使用的变量。", "删除了变量。"),
            ("不要忘记运行测试。", "运行测试。"),
            ("无人值守升级已启用。", "升级已启用。"),
            ("未经测试就部署了。", "部署了。"),
        ],
    );
}

#[test]
fn counts_are_told_in_any_order_and_by_the_rest() {
    all(
        SUPPORTED,
        &[
            ("41 passed, 3 failed", "3 failed, 41 passed"),
            ("41 tests passed, 3 failed, 2 skipped.", "2 skipped, 3 failed, 41 passed tests."),
            ("Passed: 41, failed: 3.", "3 failed, 41 passed."),
            ("9 of 12 up; 3 down", "3 of 12 down"),
            ("9 of 12 nodes are up; 3 are down.", "3 of 12 nodes are down."),
        ],
    );
    all(
        UNSUPPORTED,
        &[
            ("41 passed, 3 failed", "41 failed, 3 passed"),
            ("41 tests passed, 3 failed, 2 skipped.", "3 skipped, 2 failed, 41 passed tests."),
            ("Passed: 41, failed: 3.", "41 failed, 3 passed."),
            ("9 of 12 nodes up, 3 down.", "3 of 12 nodes up."),
            ("9 of 12 nodes up, 3 down.", "9 of 12 nodes down."),
        ],
    );
}

#[test]
fn durations_of_korean_and_chinese_have_their_units() {
    all(
        SUPPORTED,
        &[
            ("서버 타임아웃은 3시간으로 설정했다.", "서버 타임아웃은 180분으로 설정했다."),
            ("타임아웃은 3시간이다.", "타임아웃은 3시간입니다."),
            ("超时设为3小时。", "超时设为180分钟。"),
        ],
    );
    all(
        UNSUPPORTED,
        &[
            ("타임아웃은 3시간으로 설정되어 있습니다.", "타임아웃은 3분으로 설정되어 있습니다."),
            ("超时设为3小时。", "超时设为3分钟。"),
        ],
    );
}

#[test]
fn labels_deny_no_deed_and_denied_things_were_not_done() {
    all(
        SUPPORTED,
        &[
            ("I labelled issue 12 as won't fix and closed it.", "Issue 12 was labelled and closed."),
            ("Closed issue 12 as won't fix.", "Closed issue 12."),
            (
                "Issue 12, complexity of the walk - skip with won't fix reply",
                "Skipped complexity fix (issue 12) with \"Won't fix\" reply",
            ),
            ("I did not touch auth.rs and fixed parser.rs.", "Fixed parser.rs."),
        ],
    );
    all(
        NOT_SAID,
        &[
            ("Closed issue 12 as won't fix.", "Fixed issue 12."),
            ("They won't fix the parser bug of pr_7.", "Fixed the parser bug of pr_7."),
            ("I did not touch auth.rs.", "Touched auth.rs."),
            ("I did not touch auth.rs and fixed parser.rs.", "Touched auth.rs and fixed parser.rs."),
            ("I changed lib.rs, but left auth.rs alone.", "Changed lib.rs and auth.rs."),
            ("Everything but auth.rs was migrated.", "auth.rs was migrated."),
            ("Changed every file except auth.rs.", "Changed every file including auth.rs."),
        ],
    );
}

#[test]
fn letters_bounds_and_states_are_not_exchanged() {
    all(
        UNSUPPORTED,
        &[
            ("The blood group of the patient in room 7 is B.", "The blood group of the patient in room 7 is A."),
            ("The meeting of team_4 moved to drive D:.", "The meeting of team_4 moved to drive A:."),
            ("The office of the HR team is on floor 3.", "The office of the IT team is on floor 3."),
            ("Replica db_2 runs in zone b.", "Replica db_2 runs in zone a."),
            ("Replica db_2 runs in zone b.", "Replica db_2 runs in zone c."),
            ("The grade of candidate_9 in the exam was B.", "The grade of candidate_9 in the exam was A."),
            ("The grade of candidate_9 in the exam was B.", "The grade of candidate_9 in the exam was C."),
            ("The price of seat_1 costs 30 euros less.", "The price of seat_1 costs 30 euros."),
            ("All tests of mod_1 pass except test_x.", "All tests of mod_1 pass."),
        ],
    );
    all(
        NOT_SAID,
        &[
            ("User_8 may read the vault.", "User_8 may write the vault."),
            ("The key of door_6 is blue.", "The key of door_6 is red."),
        ],
    );
    all(
        SUPPORTED,
        &[
            ("The blood group of the patient in room 7 is A.", "The patient in room 7 has blood group A."),
            ("Replica db_2 runs in zone a.", "Zone a runs replica db_2."),
            ("The office of the IT team is on floor 3.", "The IT team's office is on floor 3."),
            ("The price of seat_1 fell by 30 euros.", "The price of seat_1 is 30 euros less."),
            ("All tests of mod_1 pass except test_x.", "All tests of mod_1 but test_x pass."),
            ("User_8 may read the vault.", "User_8 can read the vault."),
            ("The key of door_6 is blue.", "The blue key of door_6."),
            ("The limit of the queue was raised from 10 to 20.", "The queue's limit went from 10 up to 20."),
        ],
    );
    let told = "The key of door_6 is red. Replica db_2 runs in zone a.";
    for fact in ["The key of door_6 is blue.", "Replica db_2 runs in zone b."] {
        assert_eq!(Summary::of(told).keeps(fact), Kept::Lost, "{fact}");
    }
}

#[test]
fn a_number_that_is_joined_to_its_word_may_be_told_apart() {
    let told = "`make_trace()`: generates `00-<32hex>-<16hex>-01` format";
    let of = |source: &str| align(told, &[source])[0].support;
    assert_eq!(of("- `make_trace`: emits `00-<32 hex trace_id>-<16 hex span_id>-01`."), Support::Open);
    assert_eq!(of("- `make_trace`: emits `00-<24 hex trace_id>-<16 hex span_id>-01`."), Support::None);
}

#[test]
fn a_permission_is_told_as_no_duty() {
    all(
        UNSUPPORTED,
        &[
            (
                "Users of the staging cluster may delete the table.",
                "Users of the staging cluster must delete the table.",
            ),
            ("Admins must rotate the signing key every month.", "Admins may rotate the signing key every month."),
            ("You can skip the lint step on main.", "The lint step has to be skipped on main."),
        ],
    );
    all(
        SUPPORTED,
        &[
            (
                "Users of the staging cluster may delete the table.",
                "Users of the staging cluster can delete the table.",
            ),
            ("Admins must rotate the signing key every month.", "Admins have to rotate the signing key every month."),
            ("The table may not be deleted.", "The table must not be deleted."),
        ],
    );
}

#[test]
fn what_excludes_another_in_the_same_frame_denies_it() {
    all(
        UNSUPPORTED,
        &[
            ("The button is red.", "The button is blue."),
            ("The login button of the settings page is red.", "The login button of the settings page is blue."),
            ("The endpoint is public.", "The endpoint is private."),
            ("The job runs daily.", "The job runs weekly."),
        ],
    );
    all(SUPPORTED, &[("The button is red.", "It is a red button.")]);
    // Who has more to say of it, and other names of one thing, deny nothing.
    all(
        &[Support::Open],
        &[
            ("The button turns red once the form was sent to the server.", "The button is blue."),
            ("The icons are grey.", "The icons are gray."),
            ("The server is down.", "The server is offline."),
            ("The owner is Ops.", "The owner is Legal."),
        ],
    );
}
